import type { ChatMessage, ToolDefinition } from "../rollout/message.ts";
import { openaiTurns } from "../rollout/agent/openai.ts";
import type { OpenAIOptions } from "../rollout/agent/openai.ts";
import type { DomainInput } from "./domain.ts";

/** Plays the customer: says something, or uses the customer's tools first. */
export type UserSimulator = (view: UserView) => Promise<UserTurn>;

export interface UserView {
  /** The customer's prompt, and the conversation with its own calls. The customer is the assistant in it. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly signal: AbortSignal;
}

export interface UserTurn {
  readonly text?: string | undefined;
  readonly calls?: readonly { readonly name: string; readonly arguments: DomainInput }[] | undefined;
}

/** A customer that is played by a model, behind any API compatible with OpenAI's chat completions. */
export function modelCustomer(options: OpenAIOptions): UserSimulator {
  const ask = openaiTurns({ ...options, parameters: { temperature: 0, ...options.parameters } });
  return async ({ messages, tools, signal }) => {
    const { message } = await ask({ messages, tools }, signal);
    const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => ({
      name,
      arguments: JSON.parse(input === "" ? "{}" : input) as DomainInput,
    }));
    const text = typeof message.content === "string" ? message.content : undefined;
    return calls.length > 0 ? { calls } : { text };
  };
}

/** A step of a script: a message, or a call of one of the customer's tools. */
export type ScriptStep = string | { readonly name: string; readonly arguments?: DomainInput };

/** A customer that follows a script, and then stops. */
export function scriptedCustomer(script: readonly ScriptStep[]): UserSimulator {
  return ({ messages }) => {
    const made = messages.filter(({ role }) => role === "assistant").length;
    const step = script[made] ?? "###STOP###";
    const turn =
      typeof step === "string" ? { text: step } : { calls: [{ name: step.name, arguments: step.arguments ?? {} }] };
    return Promise.resolve(turn);
  };
}
