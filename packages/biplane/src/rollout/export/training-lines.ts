import { messagesForModel } from "../message.ts";
import type { ChatMessage } from "../message.ts";
import { tokenSamples } from "../message-tokens.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { isPass } from "../score/summary.ts";
import type { SummaryOptions } from "../score/summary.ts";
import type { Trace } from "../trace.ts";
import { isScored, toolColumn, untilLastTurn } from "./lines.ts";

type Line = Readonly<Record<string, unknown>>;

/** Prompts and completions for TRL's `SFTTrainer`: rollouts that pass and did not end with an error. */
export function sftLines(scored: readonly ScoredTrace[], options: SummaryOptions = {}): Line[] {
  return labelled(scored, options).flatMap(({ label, ...line }) => (label ? [line] : []));
}

/** Prompts, completions and labels for TRL's `KTOTrainer`. The label says whether the rollout passes. */
export function ktoLines(scored: readonly ScoredTrace[], options: SummaryOptions = {}): Line[] {
  return labelled(scored, options);
}

/**
 * Token ids for TRL, with the names that a `rollout_func` returns: `env_mask` is 1 for the tokens that the model wrote.
 * Masked rollouts have the reward null, which TRL keeps out of their group. Rollouts without token ids are left out.
 */
export function tokenLines(scored: readonly ScoredTrace[]): Line[] {
  return scored.flatMap(({ trace, score }) =>
    tokenSamples(agentMessages(trace)).map(({ promptIds, completionIds, mask, logprobs }, sample) => ({
      run: trace.run,
      row: trace.rowId,
      index: trace.index,
      repetition: trace.repetition,
      sample,
      prompt_ids: promptIds,
      completion_ids: completionIds,
      env_mask: mask,
      logprobs: logprobs ?? null,
      reward: score.score,
      masked: score.score === null,
    })),
  );
}

interface LabelledLine {
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly label: boolean;
  readonly [column: string]: unknown;
}

/** Masked rollouts are left out, and those in which the agent said nothing. */
function labelled(scored: readonly ScoredTrace[], { pass }: SummaryOptions): LabelledLine[] {
  return scored.filter(isScored).flatMap(({ trace, score }) => {
    const messages = untilLastTurn(messagesForModel(trace.messages));
    const prompt = messages.slice(0, promptLength(trace));
    const completion = messages.slice(prompt.length);
    if (completion.length === 0) return [];
    const label = isPass(score.score, pass) && trace.ending.reason !== "error";
    return [{ prompt, completion, label, ...toolColumn(trace) }];
  });
}

/** The messages after those of the row. Assistant messages in a row are not the agent's. */
function agentMessages({ messages, row }: Trace): readonly ChatMessage[] {
  return messages.slice(row.messages.length);
}

/** How many messages come before the agent's first one. */
function promptLength(trace: Trace): number {
  const first = agentMessages(trace).findIndex(({ role }) => role === "assistant");
  return first < 0 ? trace.messages.length : trace.row.messages.length + first;
}
