import { environment } from "@biplane/core";

/** OpenEnv's echo before it had tools, as in TRL's example: longer messages earn more. */
export function echoTyped() {
  return environment({
    name: "echo-typed",
    version: "1.0.0",
    description: "Echoes messages back. Longer messages earn more.",
    start: (): Echo => ({ message: "Echo environment ready!", length: 0 }),
    observe: ({ message, length }) => ({ echoed_message: message, message_length: length }),
    action: "message_echo",
    tools: (tool) => ({
      message_echo: tool({
        description: "Echo a message",
        input: {
          type: "object",
          properties: { message: { type: "string", minLength: 1, description: "The message to echo back" } },
          required: ["message"],
        },
        run: ({ message }, { state: echo }) => {
          echo.message = message;
          echo.length = Array.from(echo.message).length; // In code points, like Python.
        },
      }),
    }),
    rewardRange: [0, 1_000_000],
    reward: ({ after }) => after.length * 0.1,
  });
}

interface Echo {
  message: string;
  length: number;
}
