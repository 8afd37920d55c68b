import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";

/** OpenEnv's echo as it was before it had tools, and as TRL's example plays it: the longer the message, the better. */
export function echoTyped(): Environment {
  return environment({
    name: "echo-typed",
    version: "1.0.0",
    description: "Says back what it is told; longer messages earn more.",
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
          echo.message = String(message);
          echo.length = Array.from(echo.message).length; // in characters, as Python counts
        },
      }),
    }),
    reward: ({ after }) => after.length * 0.1,
  });
}

interface Echo {
  message: string;
  length: number;
}
