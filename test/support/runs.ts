/** How often a property runs: half of `count` every day, ten times `count` with BIPLANE_SOAK=1. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: process.env["BIPLANE_SOAK"] === "1" ? count * 10 : Math.ceil(count / 2) };
}

/** A test's time limit, longer by the same factor. */
export function limit(ms: number): number {
  return process.env["BIPLANE_SOAK"] === "1" ? ms * 12 : ms;
}
