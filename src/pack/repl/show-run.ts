import type { CodeError, CodeResult } from "../../code/engine.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";

/** What a run came to, as JSON Schema. */
export const runOutput = {
  type: "object",
  required: ["value", "stdout", "stderr", "truncated", "error"],
  properties: {
    value: { description: "The last expression; null where there is none" },
    stdout: { type: "string" },
    stderr: { type: "string" },
    truncated: { type: "boolean", description: "Whether output was cut" },
    error: {
      description: "Why the code failed; null where it did not",
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

/** Shows a run as a terminal would: what was printed, then the value or the error. Code that fails is an answer too. */
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
  return reply(text(shown.join("\n") || "(nothing was printed)"), {
    structured: { value: value ?? null, stdout, stderr, truncated, error: failed ?? null },
  });
}

/** Python's traces end with what went wrong; JavaScript's are only where. */
function showError({ name, message, trace = "" }: CodeError): string {
  const shown = trace.trimEnd();
  return shown.includes(name) ? shown : [`${name}: ${message}`, shown].filter((part) => part !== "").join("\n");
}
