import type { ChatMessage } from "./message.ts";

/** The tokens of one reply, as the model server gave them. */
export interface ReplyTokens {
  /** The whole prompt. */
  readonly promptIds?: readonly number[] | undefined;
  readonly ids?: readonly number[] | undefined;
  /** The text of each token. Kept if there are no ids. */
  readonly texts?: readonly string[] | undefined;
  readonly logprobs?: readonly number[] | undefined;
}

/**
 * The tokens of an assistant message in a trace. The prompt of a turn mostly repeats the turn before, so only what is
 * new is kept: `prompt_ids` follow the first `shared` tokens of the previous prompt and reply.
 */
export interface MessageTokens {
  readonly shared?: number;
  readonly prompt_ids?: readonly number[];
  readonly ids?: readonly number[];
  readonly texts?: readonly string[];
  readonly logprobs?: readonly number[];
}

/** Writes the tokens of the turns of one conversation. */
export class TokenWriter {
  #sequence: readonly number[] = [];

  write({ promptIds, ids, texts, logprobs }: ReplyTokens): MessageTokens {
    const shared = promptIds && sharedLength(this.#sequence, promptIds);
    this.#sequence = [...(promptIds ?? []), ...(ids ?? [])];
    return {
      ...(promptIds && { shared: shared ?? 0, prompt_ids: promptIds.slice(shared) }),
      ...(ids ? { ids } : texts && { texts }),
      ...(logprobs && { logprobs }),
    };
  }
}

/** A sequence of tokens that a model read and wrote, with what it wrote marked. */
export interface TokenSample {
  readonly promptIds: readonly number[];
  /** Everything after the first prompt: the replies, and what the environment said between them. */
  readonly completionIds: readonly number[];
  /** 1 for tokens of the model, 0 for those between its replies. */
  readonly mask: readonly (0 | 1)[];
  /** Undefined if a reply has no log-probabilities. Tokens that are not the model's have 0. */
  readonly logprobs: readonly number[] | undefined;
}

/**
 * The token sequences of a conversation. Usually there is one. Another one begins where a prompt does not continue the
 * sequence before it, because the template drops the reasoning of earlier turns, for example.
 */
export function tokenSamples(messages: readonly ChatMessage[]): TokenSample[] {
  const samples: OpenSample[] = [];
  let sequence: readonly number[] = [];
  for (const { shared = 0, prompt_ids: fresh, ids, logprobs } of messages.flatMap(tokensOf)) {
    if (!fresh || !ids) return []; // without all ids of a turn there is no sequence
    const open = samples.at(-1);
    const isContinued = open !== undefined && shared === sequence.length;
    const promptIds = [...sequence.slice(0, shared), ...fresh];
    sequence = [...promptIds, ...ids];
    const sample = isContinued ? open : { promptIds, completionIds: [], mask: [], logprobs: [] };
    if (!isContinued) samples.push(sample);
    else append(sample, fresh, { mask: 0, logprobs: fresh.map(() => 0) });
    append(sample, ids, { mask: 1, logprobs: logprobs?.length === ids.length ? logprobs : undefined });
  }
  return samples;
}

interface OpenSample {
  readonly promptIds: readonly number[];
  readonly completionIds: number[];
  readonly mask: (0 | 1)[];
  logprobs: number[] | undefined;
}

function append(
  sample: OpenSample,
  ids: readonly number[],
  { mask, logprobs }: { mask: 0 | 1; logprobs: readonly number[] | undefined },
): void {
  for (const id of ids) {
    sample.completionIds.push(id);
    sample.mask.push(mask);
  }
  if (!logprobs) sample.logprobs = undefined;
  else for (const logprob of logprobs) sample.logprobs?.push(logprob);
}

function tokensOf({ role, tokens }: ChatMessage): MessageTokens[] {
  if (role !== "assistant") return [];
  return [tokens ?? {}];
}

function sharedLength(one: readonly number[], other: readonly number[]): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one[at] === other[at]) at++;
  return at;
}
