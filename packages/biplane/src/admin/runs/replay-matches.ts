import { isDeepStrictEqual } from "node:util";
import type { TraceStep } from "../../rollout/trace.ts";

/** True if the observations match, ignoring how some transports wrap values that are not objects. */
export function sameObservation(recorded: unknown, actual: unknown): boolean {
  const [one, other] = [plain(recorded), plain(actual)];
  if (isDeepStrictEqual(one, other)) return true;
  if (typeof one !== "object" || one === null || !("observation" in one)) return false;
  const keys = Object.keys(one).filter((key) => key !== "observation");
  const isWrapped = keys.every((key) => key === "session_id" || key === "error");
  return isWrapped && isDeepStrictEqual(plain(one.observation), other);
}

/**
 * True if the rewards match. Some transports report 0 for no reward. A reward that could not be read is not compared.
 */
export function sameReward({ reward, faults }: TraceStep, actual: number | null): boolean {
  return (reward ?? 0) === (actual ?? 0) || faults.some(({ what }) => what === "reward");
}

/** Normalizes to plain JSON. Text that is JSON is parsed. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(typeof value === "string" ? value : (JSON.stringify(value) ?? "null")) as unknown;
  } catch {
    return value;
  }
}
