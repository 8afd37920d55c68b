import { cancelled, endingKey } from "../../store/runs/rollout-facts.ts";
import type { FailureKind } from "@biplane/core";
import { shareInterval } from "./share-interval.ts";
import { scoreFailure } from "./scorer.ts";
import type { ScoredTrace } from "./scorer.ts";

/**
 * Statistics of a run's scores. Rows are the sample: repetitions of a row are averaged first. Masked rollouts have no
 * score: they are in `rollouts` and `masked`, and in no average.
 */
export interface Summary extends Estimate {
  /** Rows with a score. */
  readonly rows: number;
  readonly rollouts: number;
  /** Rollouts without a score. */
  readonly masked: number;
  /** The same by kind of failure. */
  readonly maskedBy: Readonly<Partial<Record<FailureKind, number>>>;
  /** The least score with which a rollout passes; null if any score above 0 does. */
  readonly pass: number | null;
  /** pass@k by k: the probability that at least one of k rollouts of a row passes. */
  readonly passAt: Readonly<Record<number, number>>;
  /** Rollouts that reached their end, and whose scorer failed. */
  readonly invalidScores: number;
  /** Number of rollouts by ending, such as `max_steps` or `error: model`. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly controlFailures: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

export interface SummaryOptions {
  /** The least score with which a rollout passes (default: any score above 0). */
  readonly pass?: number | undefined;
}

/** One rollout's contribution to a summary. */
export interface ScoredFacts {
  readonly index: number;
  readonly score: number | null;
  /** What kept it from a score. */
  readonly masked?: FailureKind | undefined;
  /** False if only the scorer failed. */
  readonly isValid: boolean;
  readonly reason: string;
  readonly steps: number;
  readonly controlFailures: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

/** Mean, interval and pass rates of scored traces. Masked rollouts do not count. */
export function summarize(scored: readonly ScoredTrace[], options: SummaryOptions = {}): Summary {
  const facts = scored.map(({ trace, score }) => ({
    index: trace.index,
    score: score.score,
    masked: scoreFailure({ trace, score })?.kind,
    isValid: score.score !== null || trace.failure?.masked === true,
    reason: endingKey(trace),
    steps: trace.steps.length,
    controlFailures: trace.controlFailures,
    tokens: trace.usage.total_tokens,
    cost: trace.cost,
  }));
  return summarizeFacts(facts, options);
}

/** Like `summarize`, for rollouts in any order. */
export function summarizeFacts(scored: readonly ScoredFacts[], options: SummaryOptions = {}): Summary {
  const builder = new SummaryBuilder(options);
  for (const facts of scored.toSorted((one, other) => one.index - other.index)) builder.add(facts);
  return builder.result();
}

/** Summarizes any number of rollouts, which must come by row index. It keeps sums, not rollouts. */
export class SummaryBuilder {
  readonly #pass: number | undefined;
  readonly #sample = new RunningSample();
  readonly #counts = { rollouts: 0, masked: 0, invalidScores: 0, steps: 0, controlFailures: 0, tokens: 0 };
  readonly #maskedBy: Partial<Record<FailureKind, number>> = {};
  readonly #reasons: Record<string, number> = {};
  /** How many rows have n rollouts of which c pass, by n and c. */
  readonly #passes = new Map<string, { readonly n: number; readonly c: number; rows: number }>();
  #cost: number | undefined;
  #row: RowScores | undefined;
  /** True while each score is 0 or 1. */
  #isShare = true;

  constructor({ pass }: SummaryOptions = {}) {
    this.#pass = pass;
  }

  add(facts: ScoredFacts): void {
    const { score, masked = "judge" } = facts;
    const counts = this.#counts;
    counts.rollouts++;
    if (score === null) {
      counts.masked++;
      this.#maskedBy[masked] = (this.#maskedBy[masked] ?? 0) + 1;
    } else this.#addScore(facts.index, score);
    if (!facts.isValid) counts.invalidScores++;
    counts.steps += facts.steps;
    counts.controlFailures += facts.controlFailures;
    counts.tokens += facts.tokens;
    this.#reasons[facts.reason] = (this.#reasons[facts.reason] ?? 0) + 1;
    if (facts.cost !== undefined) this.#cost = (this.#cost ?? 0) + facts.cost;
  }

  #addScore(index: number, score: number): void {
    if (this.#row?.index !== index) this.#endRow();
    const row = (this.#row ??= { index, n: 0, c: 0, sum: 0 });
    row.n++;
    row.sum += score;
    if (score !== 0 && score !== 1) this.#isShare = false;
    if (isPass(score, this.#pass)) row.c++;
  }

  result(): Summary {
    this.#endRow();
    const rows = this.#sample.count;
    return {
      rows,
      ...this.#estimate(rows),
      pass: this.#pass ?? null,
      passAt: passAtEach([...this.#passes.values()]),
      reasons: this.#reasons,
      ...this.#counts,
      maskedBy: this.#maskedBy,
      cost: this.#cost,
    };
  }

  #estimate(rows: number): Estimate {
    const found = this.#sample.estimate();
    if (found.mean === null || rows < 2 || !this.#isShare) return found;
    const rollouts = this.#counts.rollouts - this.#counts.masked;
    return { ...found, interval: shareInterval({ ...found, mean: found.mean, rows, rollouts }) };
  }

  #endRow(): void {
    if (!this.#row) return;
    const { n, c, sum } = this.#row;
    this.#row = undefined;
    this.#sample.add(sum / n);
    const key = `${n}/${c}`;
    const alike = this.#passes.get(key) ?? { n, c, rows: 0 };
    alike.rows++;
    this.#passes.set(key, alike);
  }
}

/** What people see of an estimate. */
export interface ShownEstimate {
  readonly mean: number | null;
  /** Null for fewer than two values, like the interval. */
  readonly standardError: number | null;
  readonly interval: [low: number, high: number] | null;
}

/** One value says nothing about its error. Every list, page and comparison shows what this returns. */
export function shownEstimate({ mean, standardError, interval }: Estimate, values: number): ShownEstimate {
  if (values < 2 || interval === null) return { mean, standardError: null, interval: null };
  const [low, high] = interval;
  return { mean, standardError, interval: [low, high] };
}

/** Rollouts that were played. A resumed run plays the cancelled ones again. */
export function finishedRollouts({ rollouts, reasons }: Pick<Summary, "rollouts" | "reasons">): number {
  return rollouts - (reasons[cancelled] ?? 0);
}

/** True if a score reaches `pass`, or is above 0 without one. */
export function isPass(score: number, pass: number | null | undefined): boolean {
  return pass === undefined || pass === null ? score > 0 : score >= pass;
}

interface RowScores {
  readonly index: number;
  /** Rollouts of the row. */
  n: number;
  /** Those that pass. */
  c: number;
  sum: number;
}

export interface Estimate {
  /** Null if there is no value. */
  readonly mean: number | null;
  readonly standardError: number;
  readonly interval: readonly [number, number] | null;
}

/** Mean, standard error and 95 % confidence interval (Student's t). */
export function estimate(values: readonly number[]): Estimate {
  const sample = new RunningSample();
  for (const value of values) sample.add(value);
  return sample.estimate();
}

/** Mean and variance of values that come one by one (Welford). Every standard error that Biplane shows comes from here. */
class RunningSample {
  count = 0;
  #mean = 0;
  /** Sum of the squared differences from the mean. */
  #squares = 0;

  add(value: number): void {
    const difference = value - this.#mean;
    this.#mean += difference / ++this.count;
    this.#squares += difference * (value - this.#mean);
  }

  estimate(): Estimate {
    const mean = this.#mean;
    if (this.count === 0) return { mean: null, standardError: 0, interval: null };
    if (this.count < 2) return { mean, standardError: 0, interval: [mean, mean] };
    const standardError = Math.sqrt(this.#squares / (this.count - 1) / this.count);
    const reach = studentT(this.count - 1) * standardError;
    return { mean, standardError, interval: [mean - reach, mean + reach] };
  }
}

/** Unbiased estimate of pass@k, given c passes in n rollouts. */
export function passAt(k: number, n: number, c: number): number {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let at = n - c + 1; at <= n; at++) allFail *= 1 - k / at;
  return 1 - allFail;
}

/** The share of rollouts without a score. */
export function maskedShare({ masked, rollouts }: Pick<Summary, "masked" | "rollouts">): number {
  return rollouts === 0 ? 0 : masked / rollouts;
}

/** The minimum that a run must reach. */
export interface Threshold {
  readonly success: number;
  /** Maximum standard error of the mean. */
  readonly standardError?: number;
}

/** Why a run misses a threshold; undefined if it reaches it. */
export function shortfall({ mean, standardError }: Summary, threshold: Threshold): string | undefined {
  if (mean === null) return "No rollout has a score.";
  if (!(mean >= threshold.success)) return `The mean score ${round(mean)} is below ${threshold.success}.`;
  const maxError = threshold.standardError;
  return maxError !== undefined && !(standardError <= maxError)
    ? `The standard error ${round(standardError)} is above ${maxError}.`
    : undefined;
}

function passAtEach(groups: readonly { n: number; c: number; rows: number }[]): Record<number, number> {
  const minRuns = groups.length === 0 ? 0 : groups.reduce((fewest, { n }) => Math.min(fewest, n), Infinity);
  const rows = sum(groups.map((group) => group.rows));
  const mean = (k: number) => sum(groups.map(({ n, c, rows: count }) => count * passAt(k, n, c))) / rows;
  return Object.fromEntries([1, 2, 4, 8, 16, 32, 64].filter((k) => k <= minRuns).map((k) => [k, mean(k)]));
}

/** Two-sided 95 % quantile of Student's t, to three digits. */
function studentT(freedom: number): number {
  const table = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
  const z = 1.959964;
  // Beyond the table, the first terms of the Cornish-Fisher expansion are accurate to three digits.
  return (
    table[freedom - 1] ?? z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
  );
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
