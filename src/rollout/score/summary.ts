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

/** The same, from less than whole traces. */
export function summarizeFacts(scored: readonly ScoredFacts[], options: SummaryOptions = {}): Summary {
  const { isSuccess = (score) => score > 0 } = options;
  const rows = new Map<number, number[]>();
  for (const { index, score } of scored) {
    const scores = rows.get(index);
    if (scores) scores.push(score);
    else rows.set(index, [score]);
  }
  const means = Array.from(rows.values(), meanOf);
  const { mean, standardError, interval } = estimate(means);
  const costs = scored.flatMap(({ cost }) => cost ?? []);
  return {
    rows: rows.size,
    rollouts: scored.length,
    mean,
    standardError,
    interval,
    passAt: passAtEach(Array.from(rows.values()), isSuccess),
    invalidScores: scored.filter(({ isValid }) => !isValid).length,
    reasons: countBy(scored.map(({ reason }) => reason)),
    steps: sum(scored.map(({ steps }) => steps)),
    controlFailures: sum(scored.map(({ controlFailures }) => controlFailures)),
    tokens: sum(scored.map(({ tokens }) => tokens)),
    cost: costs.length > 0 ? sum(costs) : undefined,
  };
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

function passAtEach(
  rows: readonly (readonly number[])[],
  isSuccess: (score: number) => boolean,
): Record<number, number> {
  const least = rows.length === 0 ? 0 : rows.reduce((most, { length }) => Math.min(most, length), Infinity);
  const ks = [1, 2, 4, 8, 16, 32, 64].filter((k) => k <= least);
  const passed = rows.map((scores) => ({ n: scores.length, c: scores.filter(isSuccess).length }));
  return Object.fromEntries(ks.map((k) => [k, meanOf(passed.map(({ n, c }) => passAt(k, n, c)))]));
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

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
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
