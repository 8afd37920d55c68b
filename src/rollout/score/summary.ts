import { reasonWord } from "../trace-summary.ts";
import type { ScoredTrace } from "./scorer.ts";

/** What a run came to, in numbers. Rows are the sample: repetitions of one row are averaged first. */
export interface Summary {
  readonly rows: number;
  readonly rollouts: number;
  readonly mean: number;
  readonly standardError: number;
  readonly interval: readonly [number, number];
  /** By k: how likely one of k tries at a row succeeds. */
  readonly passAt: Readonly<Record<number, number>>;
  readonly invalidScores: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly controlFailures: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

export interface SummaryOptions {
  /** From which score on a rollout has succeeded: above 0. */
  readonly isSuccess?: (score: number) => boolean;
}

/** What a summary needs to know of a rollout. */
export interface ScoredFacts {
  readonly index: number;
  readonly score: number;
  readonly isValid: boolean;
  readonly reason: string;
  readonly steps: number;
  readonly controlFailures: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

export function summarize(scored: readonly ScoredTrace[], options: SummaryOptions = {}): Summary {
  const facts = scored.map(({ trace, score }) => ({
    index: trace.index,
    score: score.score,
    isValid: score.isValid !== false,
    reason: reasonWord(trace.ending),
    steps: trace.steps.length,
    controlFailures: trace.controlFailures,
    tokens: trace.usage.total_tokens,
    cost: trace.cost,
  }));
  return summarizeFacts(facts, options);
}

/** The same, from less than whole traces, in one pass: there may be very many. */
export function summarizeFacts(scored: Iterable<ScoredFacts>, options: SummaryOptions = {}): Summary {
  const { isSuccess = (score) => score > 0 } = options;
  const rows = new Map<number, Tries>();
  const counts = { rollouts: 0, invalidScores: 0, steps: 0, controlFailures: 0, tokens: 0 };
  const reasons: Record<string, number> = {};
  let cost: number | undefined;
  for (const facts of scored) {
    const tries = rows.get(facts.index) ?? { n: 0, c: 0, sum: 0 };
    if (tries.n === 0) rows.set(facts.index, tries);
    tries.n++;
    tries.sum += facts.score;
    if (isSuccess(facts.score)) tries.c++;
    counts.rollouts++;
    if (!facts.isValid) counts.invalidScores++;
    counts.steps += facts.steps;
    counts.controlFailures += facts.controlFailures;
    counts.tokens += facts.tokens;
    reasons[facts.reason] = (reasons[facts.reason] ?? 0) + 1;
    if (facts.cost !== undefined) cost = (cost ?? 0) + facts.cost;
  }
  const tried = Array.from(rows.values());
  const { mean, standardError, interval } = estimate(tried.map(({ sum, n }) => sum / n));
  return {
    rows: rows.size,
    mean,
    standardError,
    interval,
    passAt: passAtEach(tried),
    reasons,
    ...counts,
    cost,
  };
}

/** How often a row was played, how often well, and what it came to in all. */
interface Tries {
  n: number;
  c: number;
  sum: number;
}

export interface Estimate {
  readonly mean: number;
  readonly standardError: number;
  readonly interval: readonly [number, number];
}

/** Mean, its standard error, and the interval that holds it 95 times of 100, by Student's t. */
export function estimate(values: readonly number[]): Estimate {
  const mean = meanOf(values);
  if (values.length < 2) return { mean, standardError: 0, interval: [mean, mean] };
  const variance = sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
  const standardError = Math.sqrt(variance / values.length);
  const reach = studentT(values.length - 1) * standardError;
  return { mean, standardError, interval: [mean - reach, mean + reach] };
}

/** How likely at least one of k tries succeeds, when c of n did: the estimate without bias. */
export function passAt(k: number, n: number, c: number): number {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let at = n - c + 1; at <= n; at++) allFail *= 1 - k / at;
  return 1 - allFail;
}

/** What a run must reach, or the build fails. */
export interface Threshold {
  readonly success: number;
  /** The largest standard error with which that counts as shown. */
  readonly standardError?: number;
}

/** Why a run does not reach a threshold; undefined where it does. */
export function shortfall({ mean, standardError }: Summary, threshold: Threshold): string | undefined {
  if (!(mean >= threshold.success)) return `the mean score ${round(mean)} is below ${threshold.success}`;
  const most = threshold.standardError;
  return most !== undefined && !(standardError <= most)
    ? `the standard error ${round(standardError)} is above ${most}`
    : undefined;
}

function passAtEach(rows: readonly Tries[]): Record<number, number> {
  const least = rows.length === 0 ? 0 : rows.reduce((fewest, { n }) => Math.min(fewest, n), Infinity);
  const ks = [1, 2, 4, 8, 16, 32, 64].filter((k) => k <= least);
  return Object.fromEntries(ks.map((k) => [k, meanOf(rows.map(({ n, c }) => passAt(k, n, c)))]));
}

/** The two-sided 95 % quantile of Student's t, to three digits. */
function studentT(freedom: number): number {
  const table = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
  const z = 1.959964;
  // Beyond the table, the first terms of Cornish and Fisher's expansion are good to three digits.
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
