import type { CodeError, CodeResult } from "../../code/engine.ts";
import { reply, text } from "@biplane/core";
import type { Reply } from "@biplane/core";

/** JSON Schema of a run's result. */
export const runOutput = {
  type: "object",
  required: ["value", "stdout", "stderr", "truncated", "error"],
  properties: {
    value: { description: "The value of the last expression, or null" },
    stdout: { type: "string" },
    stderr: { type: "string" },
    truncated: { type: "boolean", description: "True if the output was truncated" },
    error: {
      description: "Why the code failed, or null",
      anyOf: [
        { type: "null" },
        {
          type: "object",
          required: ["kind", "name", "message"],
          properties: {
            kind: { enum: ["syntax", "thrown", "limit", "cancelled", "lost"] },
            name: { type: "string" },
            message: { type: "string" },
            trace: { type: "string" },
          },
        },
      ],
    },
  },
};

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
  return reply(text(shown.join("\n") || "(no output)"), {
    structured: { value: value ?? null, stdout, stderr, truncated, error: failed ?? null },
  });
}

/** A Python trace contains the error message. A JavaScript trace does not, so it is added. */
function showError({ name, message, trace = "" }: CodeError): string {
  const shown = trace.trimEnd();
  return shown.includes(name) ? shown : [`${name}: ${message}`, shown].filter((part) => part !== "").join("\n");
}
