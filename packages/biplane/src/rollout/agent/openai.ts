import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { CostBudget, TokenPrices } from "../cost-budget.ts";
import type { ChatMessage, ToolDefinition } from "../message.ts";
import { messagesForModel } from "../message.ts";
import type { ChatModel } from "../user.ts";
import type { Agent, EpisodePlayer, Turn, Usage, AgentView } from "./agent.ts";
import { codeMessages, codeTurn } from "./code-style.ts";
import { askModel } from "./ask-model.ts";
import type { AskModelOptions } from "./ask-model.ts";

export interface OpenAIOptions {
  readonly model: string;
  /** Base of `/chat/completions` (default: `https://api.openai.com/v1`). */
  readonly baseUrl?: string;
  /** The API key, or a function that returns it; called before every request. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** Additional request parameters, such as `temperature` and `max_tokens`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Streams the response (default: true). */
  readonly stream?: boolean;
  /** `tools` uses tool calls (default); `code` lets the model write code for `run_code`. */
  readonly toolStyle?: "tools" | "code";
  /** Time limit per response (default: 120000). */
  readonly timeoutMs?: number;
  /** Retries after transient failures (default: 6). */
  readonly retries?: number;
  /** Dollars per million tokens. */
  readonly prices?: TokenPrices;
  /** Checked before each request, and charged after it. Needs `prices`. */
  readonly budget?: CostBudget;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

/** A model behind any API compatible with OpenAI's chat completions. */
export function openaiAgent(options: OpenAIOptions): Agent {
  const ask = openaiTurns(options);
  const isCode = options.toolStyle === "code";
  return {
    name: "openai",
    model: options.model,
    begin: (): EpisodePlayer => ({
      turn: async ({ messages, tools, signal }: AgentView): Promise<Turn> => {
        const visible = messagesForModel(messages);
        const prompt = isCode ? { messages: codeMessages(visible, tools), tools: [] } : { messages: visible, tools };
        const turn = await ask(prompt, signal);
        return isCode ? codeTurn(turn, tools, messages.length) : turn;
      },
    }),
  };
}

/** The model without tools, for a simulated user or a judge. */
export function openaiChatModel(options: OpenAIOptions): ChatModel {
  return async (messages, { signal, model, parameters }) => {
    const own = { ...options.parameters, ...parameters };
    const ask = openaiTurns({ ...options, parameters: own, ...(model !== undefined && { model }) });
    const { message, usage, cost } = await ask({ messages, tools: [] }, signal);
    return { text: typeof message.content === "string" ? message.content : "", usage, cost };
  };
}

/** Asks the model for one turn. */
export function openaiTurns(options: OpenAIOptions) {
  const { baseUrl = "https://api.openai.com/v1", prices, budget } = options;
  if (budget && !prices) throw new BiplaneError("INVALID_DEFINITION", `A budget needs the prices of ${options.model}.`);
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
    { messages, tools }: { messages: readonly ChatMessage[]; tools: readonly ToolDefinition[] },
    signal: AbortSignal,
  ): Promise<Turn> => {
    budget?.check();
    const body = { ...options.parameters, model: options.model, messages, ...(tools.length > 0 && { tools }) };
    const until = budget ? AbortSignal.any([signal, budget.signal]) : signal;
    const { message, finishReason, usage, retries } = await askModel(body, ready, until);
    const cost = prices && usage ? costOf(usage, prices) : undefined;
    if (cost !== undefined) budget?.add(cost);
    return { message, finishReason, usage, cost, ...(retries > 0 && { retries }) };
  };
}

function costOf(usage: Usage, prices: TokenPrices): number {
  return (usage.prompt_tokens * prices.input + usage.completion_tokens * prices.output) / 1e6;
}
