import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";

/** Says back what it is told. OpenEnv's echo: two tools, nothing to win, no end. For trying out clients. */
export function echo(): Environment {
  return environment({
    name: "echo",
    version: "1.0.0",
    description: "Says back what it is told.",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({
      echo_message: tool({
        description: "Echo back the provided message.",
        input: said,
        run: ({ message }) => message,
      }),
      echo_with_length: tool({
        description: "Echo back the message with its length.",
        input: said,
        output: {
          type: "object",
          properties: { message: { type: "string" }, length: { type: "integer" } },
          required: ["message", "length"],
        },
        run: ({ message }) => ({ message, length: Array.from(String(message)).length }), // in characters, as Python counts
      }),
    }),
  });
}

const said = {
  type: "object",
  properties: { message: { type: "string", description: "The message to echo back" } },
  required: ["message"],
};
