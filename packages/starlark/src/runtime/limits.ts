/** Resource limits of a program. For the defaults, see below. */
export interface Limits {
  /** Evaluated syntax nodes, plus the work of built-ins in proportion. */
  readonly steps?: number;
  /** Wall-clock time. Not limited by default, since a result that depends on the clock is not deterministic. */
  readonly timeMs?: number;
  /** Total bytes allocated, garbage included. An estimate, made wherever a value grows. */
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
