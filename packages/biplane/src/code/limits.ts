import type { CodeLimits } from "./engine.ts";

/** The default limits of an action. */
export const defaultCodeLimits: CodeLimits = Object.freeze({
  wallMs: 60_000,
  cpuMs: 5000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputBytes: 64 * 1024,
  valueBytes: 256 * 1024,
  sourceBytes: 128 * 1024,
  calls: 1000,
});
