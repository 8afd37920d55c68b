import type { ProgramOptions } from "../host/run.ts";

export interface EvaluateOptions extends ProgramOptions {
  /**
   * Functions of the host by name, also asynchronous ones. An object of functions is a module: `{ time: { now } }` is
   * called as `time.now()`. Arguments arrive as JSON data, keyword arguments as one last object.
   */
  readonly functions?: HostFunctions;
  /** The state of an earlier evaluation. Its globals can be read and assigned. */
  readonly state?: Uint8Array | undefined;
  /** A function to call once the file has run. Its result is then the result. */
  readonly call?: EvaluatedCall | undefined;
  readonly fileResult?: FileResult;
  readonly bounds?: Partial<EvaluationBounds>;
  /** Receives printed text, several lines at once. */
  readonly print?: (text: string) => void;
  /** Time that the program computes, without the time that host functions take (default: no limit). */
  readonly computeMs?: number;
}

export type HostFunction = (...args: unknown[]) => unknown;

export type HostFunctions = Readonly<Record<string, HostFunction | Readonly<Record<string, HostFunction>>>>;

export interface EvaluatedCall {
  readonly name: string;
  readonly args?: readonly unknown[];
  readonly named?: Readonly<Record<string, unknown>>;
  /** Without such a function, the result is that of the file. */
  readonly isOptional?: boolean;
}

/**
 * The result of a file. `value` (default): what it returns, or its last expression, if the dialect has
 * `topLevelReturn`. `exports`: its global `result`, or else all globals that begin with a capital letter.
 */
export type FileResult = "value" | "exports";

/** What may leave the worker. */
export interface EvaluationBounds {
  /** The result as JSON. More is cut. */
  readonly resultBytes: number;
  /** The arguments of one call of a host function as JSON. More is an error. */
  readonly callBytes: number;
  readonly callParts: number;
  readonly callDepth: number;
  /** The globals that are kept. More is an error. */
  readonly stateBytes: number;
  /** Printed text. More is dropped. */
  readonly printBytes: number;
}

export const defaultBounds: EvaluationBounds = {
  resultBytes: 1024 * 1024,
  callBytes: 4 * 1024 * 1024,
  callParts: 50_000,
  callDepth: 128,
  stateBytes: 16 * 1024 * 1024,
  printBytes: 1024 * 1024,
};

export interface Evaluation {
  /** The result as JSON text. Large ints are strings; values without a JSON form are described. */
  readonly json: string;
  /** True if the result was larger than allowed. The text is then its beginning, and not JSON. */
  readonly isCut: boolean;
  /** The globals, without functions, for a later evaluation. */
  readonly state: Uint8Array;
  readonly steps: number;
}
