/** How often a property runs: enough for every day, ten times as often with BIPLANE_SOAK=1. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: process.env["BIPLANE_SOAK"] === "1" ? count * 10 : count };
}

/** A test's time limit, longer by the same factor. */
export function limit(ms: number): number {
  return process.env["BIPLANE_SOAK"] === "1" ? ms * 12 : ms;
}
