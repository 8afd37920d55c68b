import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { CostBudget } from "../cost-budget.ts";
import type { ChatMessage, ToolDefinition } from "../message.ts";
import { messagesForModel } from "../message.ts";
import { TokenWriter } from "../message-tokens.ts";
import type { ReplyTokens } from "../message-tokens.ts";
import type { ChatModel } from "../user.ts";
import type { Agent, EpisodePlayer, Turn, AgentView } from "./agent.ts";
import { codeMessages, codeTurn } from "./code-style.ts";
import { askModel } from "./ask-model.ts";
import type { AskModelOptions } from "./ask-model.ts";
import { costOf } from "./token-prices.ts";
import type { TokenPrices } from "./token-prices.ts";

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
  /** Asks for the log-probability of every token of a reply, and keeps them in the trace (default: false). */
  readonly logprobs?: boolean;
  /**
   * Asks for the ids of the tokens of prompt and reply, and keeps them in the trace (default: false). vLLM and SGLang
   * give them, but not reliably in a stream, so replies are not streamed. OpenAI refuses the request.
   */
  readonly tokenIds?: boolean;
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
    provider: "openai",
    begin: (): EpisodePlayer => {
      const writer = new TokenWriter();
      return {
        turn: async ({ messages, tools, signal }: AgentView): Promise<Turn> => {
          const visible = messagesForModel(messages);
          const prompt = isCode ? { messages: codeMessages(visible, tools), tools: [] } : { messages: visible, tools };
          const { tokens, ...turn } = await ask(prompt, signal);
          const told = tokens ? { ...turn, message: { ...turn.message, tokens: writer.write(tokens) } } : turn;
          return isCode ? codeTurn(told, tools, messages.length) : told;
        },
      };
    },
  };
}

/** The model without tools, for a simulated user or a judge. */
export function openaiChatModel(options: OpenAIOptions): ChatModel {
  return async (messages, { signal, model, parameters }) => {
    const own = { ...options.parameters, ...parameters };
    const plain = { ...options, logprobs: false, tokenIds: false };
    const ask = openaiTurns({ ...plain, parameters: own, ...(model !== undefined && { model }) });
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
    isStreamed: options.stream ?? !options.tokenIds,
    timeoutMs: options.timeoutMs ?? 120_000,
    retries: options.retries ?? 6,
    fetch: options.fetch ?? fetch,
    sleep: options.sleep ?? ((ms, signal) => pause(ms, undefined, { signal })),
    random: options.random ?? Math.random,
  };
  const asked = {
    ...options.parameters,
    ...(options.logprobs && { logprobs: true }),
    ...(options.tokenIds && { return_token_ids: true }),
    model: options.model,
  };
  return async (
    { messages, tools }: { messages: readonly ChatMessage[]; tools: readonly ToolDefinition[] },
    signal: AbortSignal,
  ): Promise<Turn & { readonly tokens?: ReplyTokens | undefined }> => {
    budget?.check();
    const body = { ...asked, messages, ...(tools.length > 0 && { tools }) };
    const until = budget ? AbortSignal.any([signal, budget.signal]) : signal;
    const { message, finishReason, usage, cost, tokens, retries } = await askModel(body, ready, until);
    const price = cost ?? (prices && usage ? costOf(usage, prices) : undefined);
    if (price !== undefined) budget?.add(price);
    return { message, finishReason, usage, cost: price, tokens, ...(retries > 0 && { retries }) };
  };
}
