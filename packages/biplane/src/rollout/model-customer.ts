import type { UserSimulator } from "@biplane/gallery";
import { openaiTurns } from "./agent/openai.ts";
import type { OpenAIOptions } from "./agent/openai.ts";

/** A customer that is played by a model, behind any API compatible with OpenAI's chat completions. */
export function modelCustomer(options: OpenAIOptions): UserSimulator {
  const ask = openaiTurns({ ...options, parameters: { temperature: 0, ...options.parameters } });
  return async ({ messages, tools, signal }) => {
    const { message } = await ask({ messages, tools }, signal);
    const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => ({
      name,
      arguments: JSON.parse(input === "" ? "{}" : input) as Readonly<Record<string, unknown>>,
    }));
    const text = typeof message.content === "string" ? message.content : undefined;
    return calls.length > 0 ? { calls } : { text };
  };
}
