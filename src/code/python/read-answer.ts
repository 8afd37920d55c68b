import type { CodeError, CodeLimits } from "../engine.ts";
import { isDeep } from "./calls.ts";
import type { ErrandEnd } from "./worker-handle.ts";

export interface Said {
  readonly value: unknown;
  readonly isCut: boolean;
  readonly error: CodeError | undefined;
}

/**
 * What the guest says its action came to, or undefined where it says nothing that can be read. It may have forged it: it
 * can only lie about itself.
 */
export function readAnswer(end: ErrandEnd, limits: CodeLimits): Said | undefined {
  if (end.kind !== "ended" || end.ending.kind !== "answered") return undefined;
  const { text } = end.ending;
  if (text.length > limits.valueBytes * 2 + mostAround) return undefined;
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

/** Room for an error with its trace, escaped. */
const mostAround = 300_000;

function readError(said: unknown): CodeError {
  const { kind, name, message, code, trace } = said as Record<string, unknown>;
  if (kind !== "syntax" && kind !== "limit" && kind !== "thrown") throw new TypeError("it is no kind of error");
  if (typeof name !== "string" || typeof message !== "string") throw new TypeError("it has no name or message");
  return {
    kind,
    name: name.slice(0, 200),
    message: message.slice(0, 10_000),
    code: typeof code === "string" ? code.slice(0, 200) : undefined,
    trace: typeof trace === "string" ? trace.slice(0, 20_000) : undefined,
  };
}
