import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { modelLabel } from "./run-name.tsx";

/** What the lines of a trend stand for. */
export type TrendGroup = "model" | "tag";

export interface TrendPoint {
  readonly run: RunSummary;
  /** The position on the axis. */
  readonly at: number;
  readonly value: number;
  readonly error: number;
  /** The line that the point belongs to. */
  readonly series: string;
}

export interface Trend {
  /** Oldest first. */
  readonly points: readonly TrendPoint[];
  /** Runs with the tag `baseline`: a level to reach, not a step of the trend. */
  readonly baselines: readonly Omit<TrendPoint, "at">[];
  /** The names of the lines, those with most runs first. */
  readonly series: readonly string[];
}

/** Sorts runs, oldest first, into lines and levels. */
export function trendOf(
  runs: readonly RunSummary[],
  options: {
    readonly group: TrendGroup;
    readonly valueOf: (run: RunSummary) => number | null;
    readonly errorOf: (run: RunSummary) => number | null;
  },
): Trend {
  const { group, valueOf, errorOf } = options;
  const counts = tagCounts(runs);
  const found = runs.flatMap((run) => {
    const value = valueOf(run);
    if (value === null) return [];
    return [{ run, value, error: errorOf(run) ?? 0, series: group === "tag" ? mainTag(run, counts) : modelLabel(run) }];
  });
  const others = found.filter(({ run }) => !isBaseline(run));
  // If all are baselines, there is nothing else to draw.
  const steps = others.length === 0 ? found : others;
  const baselines = others.length === 0 ? [] : found.filter(({ run }) => isBaseline(run)).slice(-maxBaselines);
  const points = steps.map((point, at) => ({ ...point, at }));
  return { points, baselines, series: bySize(points.map(({ series }) => series)) };
}

/** Lines of one point each say nothing: then runs that share a tag are a line. */
export function usualGroup(runs: readonly RunSummary[]): TrendGroup {
  const steps = runs.filter((run) => !isBaseline(run));
  const models = new Set(steps.map(modelLabel)).size;
  return models > maxLines && steps.some(({ tags }) => tags.length > 0) ? "tag" : "model";
}

/** More lines have no colours of their own. */
export const maxLines = 5;
const maxBaselines = 5;

/** The line of the runs without tags. */
export const noTag = "no tag";

export function isBaseline({ tags }: RunSummary): boolean {
  return tags.some((tag) => tag.toLowerCase() === "baseline");
}

/** The tag that most runs share. */
function mainTag({ tags }: RunSummary, counts: ReadonlyMap<string, number>): string {
  const [most] = tags.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  return most ?? noTag;
}

function tagCounts(runs: readonly RunSummary[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const tag of runs.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return counts;
}

function bySize(names: readonly string[]): readonly string[] {
  const sizes = new Map<string, number>();
  for (const name of names) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  return [...sizes].sort(([, one], [, other]) => other - one).map(([name]) => name);
}
