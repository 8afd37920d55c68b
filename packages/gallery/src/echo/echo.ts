import { environment } from "@biplane/core";

/** Echoes messages. OpenEnv's echo: two tools, no reward, no end. For testing clients. */
export function echo() {
  return environment({
    name: "echo",
    version: "1.0.0",
    description: "Echoes messages back.",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({
      echo_message: tool({
        description: "Echo back the provided message.",
        input: messageInput,
        run: ({ message }) => message,
      }),
      echo_with_length: tool({
        description: "Echo back the message with its length.",
        input: messageInput,
        output: {
          type: "object",
          properties: { message: { type: "string" }, length: { type: "integer" } },
          required: ["message", "length"],
        },
        run: ({ message }) => ({ message, length: Array.from(message).length }), // In code points, like Python.
      }),
    }),
  });
}

const messageInput = {
  type: "object",
  properties: { message: { type: "string", description: "The message to echo back" } },
  required: ["message"],
} as const;
