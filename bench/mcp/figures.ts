export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
}

/** The median, and the least and the greatest figure, as text. */
export function spread(figures: readonly number[], digits: number): [median: string, range: string] {
  const ends = [Math.min(...figures), Math.max(...figures)].map((end) => end.toFixed(digits));
  return [median(figures).toFixed(digits), ends.join("–")];
}

interface Rounds {
  readonly rounds: readonly number[];
}

/** The median ratio over rounds. Compares values of the same round, because the machine's load varies. */
export function ratio(over: Rounds, under: Rounds): number {
  return median(over.rounds.map((figure, round) => figure / (under.rounds[round] ?? NaN)));
}

/** A text table with right-aligned numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = head.map((_, column) => rows.every((row) => /^[\d.,–×-]*$/.test(row[column] ?? "")));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join("  ");
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}
