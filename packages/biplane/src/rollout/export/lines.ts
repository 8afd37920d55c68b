import { messagesForModel } from "../message.ts";
import type { ChatMessage } from "../message.ts";
import { playedRow } from "../played-row.ts";
import { groupsOf } from "../group.ts";
import type { Score, ScoredTrace } from "../score/scorer.ts";
import { isPass } from "../score/summary.ts";
import type { SummaryOptions } from "../score/summary.ts";
import type { Annotation } from "../../store/runs/annotations.ts";
import type { Trace } from "../trace.ts";

type Line = Readonly<Record<string, unknown>>;

/** Conversations in OpenAI's format. Masked ones are left out: they broke off, and a line cannot say so. */
export function openaiLines(scored: readonly ScoredTrace[]): Line[] {
  return scored
    .filter(isScored)
    .map(({ trace }) => ({ messages: messagesForModel(trace.messages), ...toolColumn(trace) }));
}

/** Rows in Eval Protocol's format, with their scores. It has 0 with `is_score_valid: false` for a masked one. */
export function evalProtocolLines(scored: readonly ScoredTrace[]): Line[] {
  return scored.map(({ trace, score: { score, reason = "", metrics = {} }, annotations }) => ({
    ...playedRow(trace),
    ...(annotations && { annotations: annotations.map(annotationColumns) }),
    evaluation_result: {
      score: score ?? 0,
      is_score_valid: score !== null,
      reason,
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, part]) => [name, { is_score_valid: true, ...part }]),
      ),
      step_outputs: trace.steps.map(({ step, reward, terminated, truncated }) => ({
        step_index: step,
        base_reward: trace.failure?.masked ? reward : (reward ?? 0),
        terminated,
        control_plane_info: { truncated },
      })),
    },
  }));
}

/** What people wrote, a line for each annotation. */
export function annotationLines(scored: readonly ScoredTrace[]): Line[] {
  return scored.flatMap(({ trace, score, annotations = [] }) =>
    annotations.map((annotation) => ({
      run: trace.run,
      row: trace.rowId,
      index: trace.index,
      repetition: trace.repetition,
      rollout: trace.rollout,
      score: score.score,
      ...annotationColumns(annotation),
    })),
  );
}

/** An annotation in the words of the other columns. */
export function annotationColumns({ step, verdict, text, author, createdAt }: Annotation): Line {
  return { step, verdict, text, author, created_at: createdAt };
}

/** Conversations for fine-tuning: those that pass and did not end with an error. */
export function fineTuningLines(scored: readonly ScoredTrace[], options: SummaryOptions = {}): Line[] {
  const good = scored
    .filter(isScored)
    .filter(({ trace, score }) => isPass(score.score, options.pass) && trace.ending.reason !== "error");
  return good.map(({ trace }) => ({ messages: weighted(trace), ...toolColumn(trace) }));
}

/** The conversation. Assistant messages of the row are examples that the agent did not write: they have no weight. */
function weighted(trace: Trace): ChatMessage[] {
  return untilLastTurn(messagesForModel(trace.messages)).map((message, at) =>
    message.role === "assistant" && at < trace.row.messages.length ? { ...message, weight: 0 } : message,
  );
}

/** Preference pairs: the best and worst rollout of each row, split where they start to differ. */
export function preferenceLines(scored: readonly ScoredTrace[], options: { margin?: number } = {}): Line[] {
  const { margin = 0 } = options;
  return groupsOf(scored).flatMap(({ members }) => {
    const ranked = members
      .filter(isScored)
      .filter(({ trace }) => trace.ending.reason !== "error")
      .sort((a, b) => b.score.score - a.score.score);
    const [best, worst] = [ranked[0], ranked.at(-1)];
    if (!best || !worst || !(best.score.score - worst.score.score > margin)) return [];
    const [chosen, rejected] = [best, worst].map(({ trace }) => untilLastTurn(messagesForModel(trace.messages))) as [
      ChatMessage[],
      ChatMessage[],
    ];
    const shared = sharedLength(chosen, rejected);
    return [
      {
        prompt: chosen.slice(0, shared),
        chosen: chosen.slice(shared),
        rejected: rejected.slice(shared),
        ...toolColumn(best.trace),
        score_chosen: best.score.score,
        score_rejected: worst.score.score,
      },
    ];
  });
}

/** False for masked rollouts, which teach nothing. */
export function isScored<Scored extends ScoredTrace>(
  scored: Scored,
): scored is Scored & { readonly score: Score & { readonly score: number } } {
  return scored.score.score !== null;
}

export function toolColumn({ tools }: Trace): Line {
  return tools.length > 0 ? { tools } : {};
}

/** Drops messages after the agent's last turn. */
export function untilLastTurn(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** Length of the common prefix of two conversations. */
function sharedLength(one: readonly ChatMessage[], other: readonly ChatMessage[]): number {
  const same = (at: number) => at < other.length && JSON.stringify(one[at]) === JSON.stringify(other[at]);
  let at = 0;
  while (at < one.length && same(at)) at++;
  return at;
}
