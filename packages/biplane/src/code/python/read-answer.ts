import type { CodeError, CodeLimits } from "../engine.ts";
import { isDeep } from "./calls.ts";
import type { GuestOutcome } from "./python-worker.ts";

export interface GuestAnswer {
  readonly value: unknown;
  readonly isCut: boolean;
  readonly error: CodeError | undefined;
}

/** Decodes the guest's answer. Undefined if it cannot be read. The guest can forge it, but only its own result. */
export function readGuestAnswer(end: GuestOutcome, limits: CodeLimits): GuestAnswer | undefined {
  if (end.kind !== "ended" || end.ending.kind !== "answered") return undefined;
  const { text } = end.ending;
  if (text.length > maxAnswerLength(limits)) return undefined;
  try {
    const { value, cut, error } = JSON.parse(text) as Record<string, unknown>;
    if (error !== undefined) return { value: undefined, isCut: false, error: readError(error) };
    if (value === undefined) return { value: undefined, isCut: false, error: undefined };
    if (typeof value !== "string") return undefined;
    const plain: unknown = JSON.parse(value);
    return isDeep(plain) ? undefined : { value: plain, isCut: cut === true, error: undefined };
  } catch {
    return undefined;
  }
}

/** The length of the longest answer: an escaped value, or an escaped error with its trace. */
export function maxAnswerLength({ valueBytes }: CodeLimits): number {
  return valueBytes * 2 + 300_000;
}

function readError(error: unknown): CodeError {
  const { kind, name, message, code, trace } = error as Record<string, unknown>;
  if (kind !== "syntax" && kind !== "limit" && kind !== "thrown") throw new TypeError("The error has an unknown kind.");
  if (typeof name !== "string" || typeof message !== "string") throw new TypeError("The error has no name or message.");
  return {
    kind,
    name: name.slice(0, 200),
    message: message.slice(0, 10_000),
    code: typeof code === "string" ? code.slice(0, 200) : undefined,
    trace: typeof trace === "string" ? trace.slice(0, 20_000) : undefined,
  };
}
