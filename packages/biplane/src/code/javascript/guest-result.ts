import { isRecord } from "@biplane/core/internal";
import { codeError } from "../code-error.ts";
import type { CodeError, CodeLimits, CodeResult } from "../engine.ts";
import { boundsFault } from "../json-bounds.ts";

/** The result of an action as text, so that the main thread parses it only after it is bounded. */
export interface GuestResult extends Omit<CodeResult, "value"> {
  readonly json: string | undefined;
}

/** What the prelude reported: a value as JSON, or an error. The guest can forge it, but only its own result. */
export interface GuestReply {
  readonly json?: string | undefined;
  readonly isCut?: boolean;
  readonly error?: CodeError;
}

/** Bounds and decodes what the prelude reported. Runs where the guest runs. */
export function readReply(reply: string, { valueBytes }: CodeLimits): GuestReply {
  const [kind, text] = [reply.charAt(0), reply.slice(1)];
  if (kind === "!") return { error: readError(text.slice(0, maxErrorLength)) };
  if (kind === "~" || text.length > valueBytes) return cutText(text.slice(0, valueBytes), "was truncated");
  if (text === "") return {};
  const fault = boundsFault(text, { length: valueBytes, parts: valueBytes, depth: maxDepth });
  return fault === undefined
    ? { json: text }
    : cutText(text.slice(0, 1000), `is nested more than ${maxDepth} levels deep`);
}

/** The result for the caller of the engine. */
export function decodeResult({ json, ...rest }: GuestResult): CodeResult {
  try {
    return { value: json === undefined ? undefined : (JSON.parse(json) as unknown), ...rest };
  } catch {
    return { value: undefined, ...rest, error: codeError("thrown", "Error", "The result is not JSON.") };
  }
}

const maxDepth = 128;
/** Four escaped texts of the prelude. */
const maxErrorLength = 200_000;
const maxTextLength = 8192;
const unreadable = "The code threw an error that cannot be read.";

function cutText(text: string, why: string): GuestReply {
  return { json: JSON.stringify(`${text}… [the result ${why}]`), isCut: true };
}

function readError(text: string): CodeError {
  const fields = parseFields(text);
  const read = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
  };
  const [name = "Error", message = unreadable, trace] = [read("name"), read("message"), read("trace")];
  const isLimit = name === "InternalError" && message === "out of memory";
  const isDeep = name === "RangeError" && message === "Maximum call stack size exceeded";
  return {
    kind: isLimit || isDeep ? "limit" : "thrown",
    name,
    message: isLimit ? "The code exceeded its memory limit: out of memory." : message,
    code: read("code"),
    trace: trace && ownFrames(trace),
  };
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(text);
    return isRecord(fields) ? fields : {};
  } catch {
    return {};
  }
}

/** The stack frames of the agent's code, without those of the prelude. */
function ownFrames(trace: string): string | undefined {
  const lines = trace.split("\n").filter((line) => line.trim() !== "" && !line.includes("prelude.js"));
  return lines.length === 0 ? undefined : lines.slice(0, 20).join("\n");
}
