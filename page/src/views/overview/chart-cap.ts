/** Twice the 95th percentile of the times with calls, so that one burst does not flatten the others. */
export function chartCap(values: readonly number[]): number | undefined {
  const busy = values.filter((value) => value > 0).sort((one, other) => one - other);
  const cap = 2 * (busy[Math.ceil(busy.length * 0.95) - 1] ?? 0);
  return (busy.at(-1) ?? 0) > cap ? cap : undefined;
}
