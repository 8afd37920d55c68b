import { isRecord } from "@biplane/core/internal";
import type { ReplyTokens } from "../message-tokens.ts";

/**
 * Collects the tokens of a reply from its chunks: OpenAI's `logprobs`, and the ids that vLLM and SGLang send if the
 * request has `return_token_ids`.
 */
export class TokenCollector {
  readonly #count: (length: number) => void;
  readonly #ids: number[] = [];
  readonly #texts: string[] = [];
  readonly #logprobs: number[] = [];
  #promptIds: readonly number[] | undefined;

  /** `count` gets the length of everything that is collected, and throws if that is too much. */
  constructor(count: (length: number) => void) {
    this.#count = count;
  }

  add(chunk: Readonly<Record<string, unknown>>, choice: Readonly<Record<string, unknown>>): void {
    const promptIds = chunk["prompt_token_ids"] ?? choice["prompt_token_ids"];
    if (isIds(promptIds)) this.#promptIds = this.#counted(promptIds);
    if (isIds(choice["token_ids"])) for (const id of this.#counted(choice["token_ids"])) this.#ids.push(id);
    const { content } = isRecord(choice["logprobs"]) ? choice["logprobs"] : {};
    for (const each of Array.isArray(content) ? content : []) {
      if (!isRecord(each) || typeof each["logprob"] !== "number") continue;
      const text = typeof each["token"] === "string" ? each["token"] : "";
      this.#count(text.length + tokenSize);
      this.#texts.push(text);
      this.#logprobs.push(each["logprob"]);
    }
  }

  /**
   * What was collected. Ids are left out if there are not as many as the server says it made: vLLM loses some of a
   * stream with tool calls.
   */
  result(completionTokens: number | undefined): ReplyTokens | undefined {
    const isComplete = completionTokens === undefined || this.#ids.length === completionTokens;
    const ids = this.#ids.length > 0 && isComplete ? this.#ids : undefined;
    const promptIds = ids && this.#promptIds;
    const hasLogprobs = this.#logprobs.length > 0;
    if (!ids && !hasLogprobs) return undefined;
    return { promptIds, ids, ...(hasLogprobs && { logprobs: this.#logprobs, texts: this.#texts }) };
  }

  #counted(ids: readonly number[]): readonly number[] {
    this.#count(ids.length * tokenSize);
    return ids;
  }
}

/** About what a token takes in a trace. */
const tokenSize = 8;

function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));
}
