/** The value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export interface Sample {
  readonly minute: number;
  readonly megabytes: number;
}

/** How memory grows, in megabytes a minute: the slope of the line with the least squares. */
export function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ megabytes }) => megabytes)];
  const above = mean(({ minute, megabytes }) => (minute - x) * (megabytes - y));
  return above / mean(({ minute }) => (minute - x) ** 2);
}
