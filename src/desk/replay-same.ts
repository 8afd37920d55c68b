import { isDeepStrictEqual } from "node:util";
import type { TraceStep } from "../rollout/trace.ts";

/** Whether an observation is the recorded one, whichever wire that came over: some wrap what is no object. */
export function sameObservation(recorded: unknown, actual: unknown): boolean {
  const [one, other] = [plain(recorded), plain(actual)];
  if (isDeepStrictEqual(one, other)) return true;
  if (typeof one !== "object" || one === null || !("observation" in one)) return false;
  const keys = Object.keys(one).filter((key) => key !== "observation");
  const isWrapped = keys.every((key) => key === "session_id" || key === "error");
  return isWrapped && isDeepStrictEqual(plain(one.observation), other);
}

/** A step that said nothing is worth 0 on some wires; one whose reward was never heard has none to compare. */
export function sameReward({ reward, faults }: TraceStep, actual: number | null): boolean {
  return (reward ?? 0) === (actual ?? 0) || faults.some(({ what }) => what === "reward");
}

/** As JSON would have it; text that is JSON is what it says. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(typeof value === "string" ? value : (JSON.stringify(value) ?? "null")) as unknown;
  } catch {
    return value;
  }
}
