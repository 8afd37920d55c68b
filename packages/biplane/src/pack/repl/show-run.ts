import type { CodeError, CodeResult } from "../../code/engine.ts";
import type { Reply } from "@biplane/core";
import { object, text } from "../../schema/builders.ts";
import { textReply } from "../shared/pack-tool.ts";

/** JSON Schema of a run's result. */
export const runOutput = object({
  value: { description: "The value of the last expression, or null" },
  stdout: text,
  stderr: text,
  truncated: { type: "boolean", description: "True if the output was truncated" },
  error: {
    description: "Why the code failed, or null",
    anyOf: [
      { type: "null" },
      object(
        { kind: { enum: ["syntax", "thrown", "limit", "cancelled", "lost"] }, name: text, message: text },
        { trace: text },
      ),
    ],
  },
});

/** Formats a run like a terminal: the output, then the value or the error. Failing code is a normal result. */
export function showRun({ value, stdout, stderr, truncated, error }: CodeResult): Reply {
  const failed = error && {
    kind: error.kind,
    name: error.name,
    message: error.message,
    ...(error.trace !== undefined && { trace: error.trace }),
  };
  const shown = [
    stdout.trimEnd(),
    stderr.trimEnd(),
    error ? showError(error) : "",
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value),
  ].filter((part) => part !== "");
  const structured = { value: value ?? null, stdout, stderr, truncated, error: failed ?? null };
  return textReply(shown.join("\n") || "(no output)", structured);
}

/** A Python trace contains the error message. A JavaScript trace does not, so it is added. */
function showError({ name, message, trace = "" }: CodeError): string {
  const shown = trace.trimEnd();
  return shown.includes(name) ? shown : [`${name}: ${message}`, shown].filter((part) => part !== "").join("\n");
}
