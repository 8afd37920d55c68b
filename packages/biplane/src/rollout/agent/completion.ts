import { BiplaneError } from "@biplane/core";
import type { ChatMessage, ToolCall } from "../message.ts";
import type { ReplyTokens } from "../message-tokens.ts";
import type { Usage } from "./agent.ts";
import { TokenCollector } from "./reply-tokens.ts";
import { cutBetweenWords, isRecord } from "@biplane/core/internal";

export interface ModelReply {
  readonly message: ChatMessage;
  readonly finishReason: string;
  readonly usage: Usage | undefined;
  /** In dollars, if the server tells it. */
  readonly cost: number | undefined;
  readonly tokens: ReplyTokens | undefined;
}

/** Limit for the text and calls of one reply. Real ones are far shorter. */
export const maxReplyLength = 16 * 1024 * 1024;

export function replyTooLong(): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `The model's reply is longer than ${maxReplyLength} characters.`);
}

/** Assembles a model's reply from the chunks of a stream. Invalid chunks are ignored. */
export class Completion {
  #text: string | undefined;
  #reasoning = "";
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #cost: number | undefined;
  readonly #tokens = new TokenCollector((length) => this.#count(length));
  #length = 0;

  /** Reads a reply that was not streamed. */
  static fromBody(body: unknown): ModelReply {
    const [choice] = isRecord(body) && Array.isArray(body["choices"]) ? body["choices"] : [];
    const message = isRecord(choice) ? choice["message"] : undefined;
    if (!isRecord(choice) || !isRecord(message))
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `The model's response has no message: ${cutBetweenWords(JSON.stringify(body), 300)}`,
      );
    const completion = new Completion();
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
    const indexed = calls.map((call: unknown, index) => (isRecord(call) ? { ...call, index } : call));
    completion.add({ ...(body as object), choices: [{ ...choice, delta: { ...message, tool_calls: indexed } }] });
    return completion.reply();
  }

  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  add(chunk: unknown): void {
    if (!isRecord(chunk)) return;
    this.#usage = readUsage(chunk["usage"]) ?? this.#usage;
    this.#cost = readCost(chunk["usage"]) ?? this.#cost;
    const [choice] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (!isRecord(choice)) return;
    this.#tokens.add(chunk, choice);
    if (typeof choice["finish_reason"] === "string") this.#finishReason = choice["finish_reason"];
    const { delta } = choice;
    if (!isRecord(delta)) return;
    if (typeof delta["content"] === "string") this.#text = (this.#text ?? "") + this.#counted(delta["content"]);
    if (typeof delta["reasoning_content"] === "string") this.#reasoning += this.#counted(delta["reasoning_content"]);
    for (const call of Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : []) this.#addCall(call);
  }

  reply(): ModelReply {
    const calls = Array.from(this.#calls.entries()).sort(([a], [b]) => a - b);
    const tool_calls: ToolCall[] = calls.map(([at, call]) => ({
      id: call.id || `call_${at}`,
      type: "function",
      function: { name: call.name || "unknown", arguments: call.arguments },
    }));
    return {
      message: {
        role: "assistant",
        content: this.#text ?? (tool_calls.length > 0 ? null : ""),
        ...(this.#reasoning !== "" && { reasoning_content: this.#reasoning }),
        ...(tool_calls.length > 0 && { tool_calls: unique(tool_calls) }),
      },
      finishReason: this.#finishReason ?? (tool_calls.length > 0 ? "tool_calls" : "stop"),
      usage: this.#usage,
      cost: this.#cost,
      tokens: this.#tokens.result(this.#usage?.completion_tokens),
    };
  }

  /** A call's chunks share an index. Servers that omit the index send each call in one chunk. */
  #addCall(chunk: unknown): void {
    if (!isRecord(chunk)) return;
    const index = typeof chunk["index"] === "number" ? chunk["index"] : this.#calls.size;
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    const { name, arguments: text } = isRecord(chunk["function"]) ? chunk["function"] : {};
    if (!this.#calls.has(index)) this.#count(callOverhead);
    if (typeof chunk["id"] === "string" && chunk["id"] !== "") call.id = this.#counted(chunk["id"]);
    if (typeof name === "string") call.name += this.#counted(name);
    if (typeof text === "string") call.arguments += this.#counted(text);
    else if (isRecord(text)) call.arguments = this.#counted(JSON.stringify(text));
    this.#calls.set(index, call);
  }

  #counted(text: string): string {
    this.#count(text.length);
    return text;
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > maxReplyLength) throw replyTooLong();
  }
}

/** What a call takes besides its text. */
const callOverhead = 100;

/** Makes call ids unique, because results are matched to calls by id. */
function unique(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, at) => {
    const id = seen.has(call.id) ? `${call.id}_${at}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const count = (key: string) => (isCount(usage[key]) ? usage[key] : 0);
  const [prompt_tokens, completion_tokens] = [count("prompt_tokens"), count("completion_tokens")];
  const { cached_tokens: cached } = isRecord(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: count("total_tokens") || prompt_tokens + completion_tokens,
    ...(isCount(cached) && cached > 0 && { cached_tokens: cached }),
  };
}

/** Routers such as OpenRouter add the price of a reply to its usage. */
function readCost(usage: unknown): number | undefined {
  const cost = isRecord(usage) ? usage["cost"] : undefined;
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}
