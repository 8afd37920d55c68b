import type { RunIndex } from "./run-index.ts";
import { summarizeFacts } from "./score/summary.ts";
import type { Summary } from "./score/summary.ts";

/** What a run's rewards look like, and how its rollouts ended. */
export interface RunFigures {
  readonly summary: Summary;
  readonly curve: readonly CurvePoint[];
  readonly distribution: readonly Bin[];
}

/** Some rollouts that ended one after the other: how many there were by then, their mean, and that of all so far. */
export interface CurvePoint {
  readonly rollouts: number;
  readonly reward: number;
  readonly running: number;
}

/** How many rewards lie from one number to another. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The figures of a run, from its index alone. */
export function figuresOf({ columns }: RunIndex): RunFigures {
  const rows = Array.from(columns.isCounted.keys()).filter((row) => columns.isCounted[row]);
  const rewards = rows.map((row) => columns.reward[row] ?? 0);
  const summary = summarizeFacts(
    rows.map((row) => ({
      index: columns.index[row] ?? 0,
      score: columns.reward[row] ?? 0,
      isValid: true,
      reason: columns.reason[row] ?? "",
      steps: columns.steps[row] ?? 0,
      controlFailures: columns.controlFailures[row] ?? 0,
      tokens: columns.tokens[row] ?? 0,
      cost: columns.cost[row] ?? undefined,
    })),
  );
  return { summary, curve: curveOf(rewards), distribution: distributionOf(rewards) };
}

/** Rewards in the order in which they came, in at most 200 points. */
export function curveOf(rewards: readonly number[]): CurvePoint[] {
  const points = Math.min(rewards.length, mostPoints);
  let sum = 0;
  return Array.from({ length: points }, (_, point) => {
    const from = Math.floor((point * rewards.length) / points);
    const to = Math.floor(((point + 1) * rewards.length) / points);
    let part = 0;
    for (let at = from; at < to; at++) part += rewards[at] ?? 0;
    sum += part;
    return { rollouts: to, reward: part / (to - from), running: sum / to };
  });
}

/** A bin for each reward where there are few different ones; else about twenty of equal width, at round numbers. */
export function distributionOf(rewards: readonly number[]): Bin[] {
  const counts = new Map<number, number>();
  for (const reward of rewards) {
    if (counts.size > mostValues) break;
    counts.set(reward, (counts.get(reward) ?? 0) + 1);
  }
  if (counts.size <= mostValues) {
    const values = Array.from(counts.keys()).sort((one, other) => one - other);
    return values.map((value) => ({ from: value, to: value, count: counts.get(value) ?? 0 }));
  }
  const [low, high] = rewards.reduce(([least, most], reward) => [Math.min(least, reward), Math.max(most, reward)], [
    Infinity,
    -Infinity,
  ] as [number, number]);
  const width = roundWidth(high / mostBins - low / mostBins);
  if (!(width > 0 && Number.isFinite(width))) return [{ from: low, to: high, count: rewards.length }];
  const first = Math.floor(low / width);
  const bins = Array.from({ length: Math.floor(high / width) - first + 1 }, () => 0);
  for (const reward of rewards) {
    const bin = Math.min(Math.floor(reward / width) - first, bins.length - 1);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins.map((count, at) => ({ from: tidy((first + at) * width), to: tidy((first + at + 1) * width), count }));
}

const mostPoints = 200;
const mostValues = 12;
const mostBins = 20;

/** The next of 1, 2 and 5 times a power of ten. */
function roundWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Without the crumbs of binary fractions. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
