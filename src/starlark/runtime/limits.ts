/** How much a program may use. Every limit that is left out has the default below. */
export interface Limits {
  /** Evaluated syntax nodes, plus the work of built-ins in proportion. */
  readonly steps?: number;
  /** Wall-clock time. Not limited by default, since a result that depends on the clock is not deterministic. */
  readonly timeMs?: number;
  /** Bytes the program allocates in all, garbage included, as estimated at every point where something grows. */
  readonly memoryBytes?: number;
  /** Starlark calls active at once. */
  readonly callDepth?: number;
  /** Bytes of printed text. */
  readonly outputBytes?: number;
}

export const defaultLimits = {
  steps: 1_000_000_000,
  timeMs: Number.POSITIVE_INFINITY,
  memoryBytes: 512 * 1024 * 1024,
  callDepth: 400,
  outputBytes: 16 * 1024 * 1024,
} as const satisfies Required<Limits>;
