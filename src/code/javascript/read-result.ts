import type { CodeError } from "../engine.ts";

/** What the prelude says the code came to, as data. The guest may have forged it: it can only lie about itself. */
export function readValue(reply: string | undefined): { value: unknown; isCut: boolean } {
  if (reply === undefined || reply === "=") return { value: undefined, isCut: false };
  if (reply.startsWith("~")) return { value: `${reply.slice(1)}… [the result was cut]`, isCut: true };
  return { value: JSON.parse(reply.slice(1)), isCut: false };
}

/** The error an action ended with. */
export function readError(text: string): CodeError {
  const { name, message, code, trace } = JSON.parse(text) as Record<string, string | undefined>;
  const isLimit = name === "InternalError" && message === "out of memory";
  const isDeep = name === "RangeError" && message === "Maximum call stack size exceeded";
  return {
    kind: isLimit || isDeep ? "limit" : "thrown",
    name: name ?? "Error",
    message: isLimit ? "The code needs more memory than it may have: out of memory" : (message ?? ""),
    code,
    trace: trace && ownFrames(trace),
  };
}

/** The frames of the agent's code; those of the prelude are none of its business. */
function ownFrames(trace: string): string | undefined {
  const lines = trace.split("\n").filter((line) => line.trim() !== "" && !line.includes("prelude.js"));
  return lines.length === 0 ? undefined : lines.slice(0, 20).join("\n");
}
