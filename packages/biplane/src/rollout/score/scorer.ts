import { BiplaneError, makeFailure } from "@biplane/core";
import type { Failure } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Annotation } from "../../store/runs/annotations.ts";
import type { Trace } from "../trace.ts";

/** A scorer's result for a rollout. Not to be confused with the reward, which the environment gives. */
export interface Score {
  /** Null if the rollout is masked or scoring failed. It is left out of every average. */
  readonly score: number | null;
  readonly reason?: string;
  /** Partial scores. */
  readonly metrics?: Readonly<Record<string, { readonly score: number; readonly reason: string }>>;
  /** False if the score is null. */
  readonly isValid?: boolean;
}

/** Scores a rollout. It is not asked about masked ones. */
export type Scorer = (trace: Trace) => number | null | Score | Promise<number | null | Score>;

export interface ScoredTrace {
  readonly trace: Trace;
  readonly score: Score;
  /** What people wrote about it. */
  readonly annotations?: readonly Annotation[] | undefined;
}

/** Scores rollouts in parallel. If the scorer throws, the score is null and has the reason. */
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

/** Uses the rollout's total reward as its score. */
export const totalReward: Scorer = ({ totalReward: reward }) => reward;

/** 1 if the last step's reward is positive, else 0. */
export const success: Scorer = ({ steps }) => ((steps.at(-1)?.reward ?? 0) > 0 ? 1 : 0);

/** What kept a rollout from its score. Undefined if it has one. */
export function scoreFailure({ trace, score }: ScoredTrace): Failure | undefined {
  if (trace.failure?.masked) return trace.failure;
  return score.score === null ? makeFailure("judge", score.reason ?? "The scorer failed.") : undefined;
}

async function scoreOne(trace: Trace, scorer: Scorer): Promise<Score> {
  const { failure } = trace;
  if (failure?.masked) return { score: null, isValid: false, reason: `${failure.kind}: ${failure.message}` };
  try {
    return readScore(await scorer(trace));
  } catch (error) {
    return { score: null, isValid: false, reason: `The scorer failed: ${messageOf(error)}` };
  }
}

function readScore(given: number | Score | null): Score {
  const score = typeof given === "number" || given === null ? { score: given } : given;
  if (score.score === null) return { reason: "The scorer gave no score.", ...score, isValid: false };
  if (Number.isFinite(score.score)) return score;
  throw new BiplaneError("INVALID_INPUT", `A score must be a finite number, not ${String(score.score)}.`);
}
