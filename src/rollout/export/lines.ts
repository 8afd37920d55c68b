import { messagesForModel } from "../message.ts";
import type { Message } from "../message.ts";
import { playedRow } from "../played-row.ts";
import { groupsOf } from "../group.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import type { Trace } from "../trace.ts";

type Line = Readonly<Record<string, unknown>>;

/** A conversation a line, as OpenAI's API takes it, and nothing else. */
export function openaiLines(scored: readonly ScoredTrace[]): Line[] {
  return scored.map(({ trace }) => ({ messages: messagesForModel(trace.messages), ...toolsOf(trace) }));
}

/** Rows as Eval Protocol writes them, with the score where there is one. */
export function evalProtocolLines(scored: readonly ScoredTrace[], options: { status?: "code" | "older" } = {}): Line[] {
  return scored.map(({ trace, score: { score, reason = "", metrics = {}, isValid = true } }) => ({
    ...playedRow(trace, options),
    evaluation_result: {
      score,
      is_score_valid: isValid,
      reason,
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, part]) => [name, { is_score_valid: true, ...part }]),
      ),
      step_outputs: trace.steps.map(({ step, reward, terminated, truncated }) => ({
        step_index: step,
        base_reward: reward ?? 0,
        terminated,
        control_plane_info: { truncated },
      })),
    },
  }));
}

/** Conversations to learn from: those that reached a score, and ended as they should. */
export function fineTuningLines(scored: readonly ScoredTrace[], options: { least?: number } = {}): Line[] {
  const { least = Number.MIN_VALUE } = options;
  const good = scored.filter(({ trace, score }) => score.score >= least && trace.ending.reason !== "error");
  return good.map(({ trace }) => ({ messages: untilLastTurn(messagesForModel(trace.messages)), ...toolsOf(trace) }));
}

/** Pairs of rollouts of one row of which one did better: the better and the worse, from where they begin to differ. */
export function preferenceLines(scored: readonly ScoredTrace[], options: { margin?: number } = {}): Line[] {
  const { margin = 0 } = options;
  return groupsOf(scored).flatMap(({ members }) => {
    const ranked = members
      .filter(({ trace }) => trace.ending.reason !== "error")
      .sort((a, b) => b.score.score - a.score.score);
    const [best, worst] = [ranked[0], ranked.at(-1)];
    if (!best || !worst || !(best.score.score - worst.score.score > margin)) return [];
    const [chosen, rejected] = [best, worst].map(({ trace }) => untilLastTurn(messagesForModel(trace.messages))) as [
      Message[],
      Message[],
    ];
    const shared = sharedLength(chosen, rejected);
    return [
      {
        prompt: chosen.slice(0, shared),
        chosen: chosen.slice(shared),
        rejected: rejected.slice(shared),
        ...toolsOf(best.trace),
        score_chosen: best.score.score,
        score_rejected: worst.score.score,
      },
    ];
  });
}

function toolsOf({ tools }: Trace): Line {
  return tools.length > 0 ? { tools } : {};
}

/** What comes after the agent's last turn teaches it nothing. */
function untilLastTurn(messages: readonly Message[]): Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** How many messages two conversations begin with in common; the first turn of the agent in which they differ is not. */
function sharedLength(one: readonly Message[], other: readonly Message[]): number {
  const same = (at: number) => at < other.length && JSON.stringify(one[at]) === JSON.stringify(other[at]);
  let at = 0;
  while (at < one.length && same(at)) at++;
  return at;
}
