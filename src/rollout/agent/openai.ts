import { setTimeout as pause } from "node:timers/promises";
import type { Message, ToolDefinition } from "../message.ts";
import { messagesForModel } from "../message.ts";
import type { Speaker } from "../user.ts";
import type { Agent, Player, Turn, Usage, View } from "./agent.ts";
import { codeMessages, codeTurn } from "./code-style.ts";
import { askModel } from "./ask-model.ts";
import type { AskModelOptions } from "./ask-model.ts";

export interface OpenAIOptions {
  readonly model: string;
  /** Where `/chat/completions` is: `https://api.openai.com/v1` unless given. */
  readonly baseUrl?: string;
  /** The key, or what gets it from where secrets are kept; asked before every request. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** Further parameters of every request, such as `temperature` and `max_tokens`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Whether the answer is streamed: yes. */
  readonly stream?: boolean;
  /** Whether tools are called as such, or by code that the model writes for `run_code`. */
  readonly toolStyle?: "tools" | "code";
  /** How long one answer may take: 120 s. */
  readonly timeoutMs?: number;
  /** How often a request that failed for a reason that may pass is sent again: 6 times. */
  readonly retries?: number;
  /** In dollars for a million tokens. */
  readonly prices?: { readonly input: number; readonly output: number };
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

/** A model behind any API that is like OpenAI's chat. */
export function openaiAgent(options: OpenAIOptions): Agent {
  const ask = asker(options);
  const isCode = options.toolStyle === "code";
  return {
    name: "openai",
    model: options.model,
    begin: (): Player => ({
      turn: async ({ messages, tools, signal }: View): Promise<Turn> => {
        const seen = messagesForModel(messages);
        const asked = isCode ? { messages: codeMessages(seen, tools), tools: [] } : { messages: seen, tools };
        const turn = await ask(asked, signal);
        return isCode ? codeTurn(turn, tools, messages.length) : turn;
      },
    }),
  };
}

/** The same model as somebody who only talks: a simulated user, or a judge. */
export function openaiSpeaker(options: OpenAIOptions): Speaker {
  return async (messages, { signal, model, parameters }) => {
    const own = { ...options.parameters, ...parameters };
    const ask = asker({ ...options, parameters: own, ...(model !== undefined && { model }) });
    const { message, usage, cost } = await ask({ messages, tools: [] }, signal);
    return { text: typeof message.content === "string" ? message.content : "", usage, cost };
  };
}

function asker(options: OpenAIOptions) {
  const { baseUrl = "https://api.openai.com/v1", prices } = options;
  const ready: AskModelOptions = {
    url: `${baseUrl.replace(/\/+$/, "")}/chat/completions`,
    apiKey: options.apiKey,
    headers: options.headers ?? {},
    isStreamed: options.stream ?? true,
    timeoutMs: options.timeoutMs ?? 120_000,
    retries: options.retries ?? 6,
    fetch: options.fetch ?? fetch,
    sleep: options.sleep ?? ((ms, signal) => pause(ms, undefined, { signal })),
    random: options.random ?? Math.random,
  };
  return async (
    { messages, tools }: { messages: readonly Message[]; tools: readonly ToolDefinition[] },
    signal: AbortSignal,
  ): Promise<Turn> => {
    const body = { ...options.parameters, model: options.model, messages, ...(tools.length > 0 && { tools }) };
    const { message, finishReason, usage, retries } = await askModel(body, ready, signal);
    const cost = prices && usage ? costOf(usage, prices) : undefined;
    return { message, finishReason, usage, cost, ...(retries > 0 && { retries }) };
  };
}

function costOf(usage: Usage, prices: { input: number; output: number }): number {
  return (usage.prompt_tokens * prices.input + usage.completion_tokens * prices.output) / 1e6;
}
