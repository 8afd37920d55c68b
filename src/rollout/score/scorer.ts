import { BiplaneError, messageOf } from "../../errors.ts";
import type { Trace } from "../trace.ts";

/** What a rollout is worth to whoever judges it. */
export interface Score {
  readonly score: number;
  readonly reason?: string;
  /** Parts of it, each judged on its own. */
  readonly metrics?: Readonly<Record<string, { readonly score: number; readonly reason: string }>>;
  /** False where it could not be judged: such a score counts as 0 and is shown. */
  readonly isValid?: boolean;
}

/** Judges a rollout, by a number or with reasons. */
export type Scorer = (trace: Trace) => number | Score | Promise<number | Score>;

/** A trace and what it was judged to be worth. */
export interface ScoredTrace {
  readonly trace: Trace;
  readonly score: Score;
}

/** Judges many rollouts, some at once. A scorer that throws gives a score that is not valid, with the reason. */
export async function scoreTraces(
  traces: readonly Trace[],
  scorer: Scorer,
  options: { concurrency?: number } = {},
): Promise<ScoredTrace[]> {
  const scored: ScoredTrace[] = Array.from({ length: traces.length });
  let next = 0;
  const work = async () => {
    for (let at = next++; at < traces.length; at = next++) {
      const trace = traces[at] as Trace;
      scored[at] = { trace, score: await scoreOne(trace, scorer) };
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency ?? 64) }, work));
  return scored;
}

/** A rollout's own reward, which is what most environments mean. */
export const totalReward: Scorer = ({ totalReward: reward }) => reward;

/** Whether the last reward was a good one. */
export const success: Scorer = ({ steps }) => ((steps.at(-1)?.reward ?? 0) > 0 ? 1 : 0);

async function scoreOne(trace: Trace, scorer: Scorer): Promise<Score> {
  try {
    return readScore(await scorer(trace));
  } catch (error) {
    return { score: 0, isValid: false, reason: `The scorer failed: ${messageOf(error)}` };
  }
}

function readScore(given: number | Score): Score {
  const score = typeof given === "number" ? { score: given } : given;
  if (Number.isFinite(score.score)) return score;
  throw new BiplaneError("INVALID_INPUT", `a score must be a finite number, not ${String(score.score)}`);
}
