import { BiplaneError } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Message, ToolCall } from "../message.ts";
import type { Usage } from "./agent.ts";

interface Answer {
  readonly message: Message;
  readonly finishReason: string;
  readonly usage: Usage | undefined;
}

/** A model's answer, put together from the pieces of a stream. Pieces that make no sense are passed over. */
export class Completion {
  #text: string | undefined;
  #reasoning = "";
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  /** An answer that came in one piece. */
  static whole(body: unknown): Answer {
    const [choice] = isObject(body) && Array.isArray(body["choices"]) ? body["choices"] : [];
    const message = isObject(choice) ? choice["message"] : undefined;
    if (!isObject(choice) || !isObject(message))
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `the model's answer has no message: ${JSON.stringify(body).slice(0, 300)}`,
      );
    const completion = new Completion();
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
    const indexed = calls.map((call: unknown, index) => (isObject(call) ? { ...call, index } : call));
    completion.add({ ...(body as object), choices: [{ ...choice, delta: { ...message, tool_calls: indexed } }] });
    return completion.answer();
  }

  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  add(chunk: unknown): void {
    if (!isObject(chunk)) return;
    this.#usage = readUsage(chunk["usage"]) ?? this.#usage;
    const [choice] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (!isObject(choice)) return;
    if (typeof choice["finish_reason"] === "string") this.#finishReason = choice["finish_reason"];
    const { delta } = choice;
    if (!isObject(delta)) return;
    if (typeof delta["content"] === "string") this.#text = (this.#text ?? "") + delta["content"];
    if (typeof delta["reasoning_content"] === "string") this.#reasoning += delta["reasoning_content"];
    for (const call of Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : []) this.#addCall(call);
  }

  answer(): Answer {
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
    };
  }

  /** A call comes in pieces, told apart by their index; servers that leave it out send each call whole. */
  #addCall(piece: unknown): void {
    if (!isObject(piece)) return;
    const index = typeof piece["index"] === "number" ? piece["index"] : this.#calls.size;
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    const { name, arguments: text } = isObject(piece["function"]) ? piece["function"] : {};
    if (typeof piece["id"] === "string" && piece["id"] !== "") call.id = piece["id"];
    if (typeof name === "string") call.name += name;
    if (typeof text === "string") call.arguments += text;
    else if (isObject(text)) call.arguments = JSON.stringify(text);
    this.#calls.set(index, call);
  }
}

/** Answers are matched to calls by id, so no two may share one. */
function unique(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, at) => {
    const id = seen.has(call.id) ? `${call.id}_${at}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const count = (key: string) => (typeof usage[key] === "number" ? usage[key] : 0);
  const [prompt_tokens, completion_tokens] = [count("prompt_tokens"), count("completion_tokens")];
  return { prompt_tokens, completion_tokens, total_tokens: count("total_tokens") || prompt_tokens + completion_tokens };
}
