import type { Tool } from "@biplane/core";
import type { Shares } from "@biplane/core/internal";

/** Runs an agent's code in a sandbox, with tools as functions. */
export interface CodeEngine extends AsyncDisposable {
  readonly language: Language;
  /** Opens a context. What code defines in it stays until the context is closed. */
  open(options: ContextOptions): Promise<CodeContext>;
  /** A tool's signature in this language, with the first line of its description. */
  signature(tool: Tool): string;
  /** Closes every context and all workers. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** How many actions can compute at once (default: one more than processors, shared by all engines of the process). */
  readonly workers?: number;
  /** Default limits for contexts. */
  readonly limits?: Partial<CodeLimits>;
  /** Counts the bytes that contexts keep between actions (default: one count for all engines of the process). */
  readonly keptBytes?: Shares;
}

export type Language = "javascript" | "python" | "starlark";

export interface ContextOptions {
  /** The tools that code can call. */
  readonly tools: readonly Tool[];
  readonly limits?: Partial<CodeLimits>;
  /** A snapshot to start from, made by the same engine with the same tools. */
  readonly from?: Uint8Array;
  /** Who is charged for what the context keeps and computes (default: this process itself). */
  readonly caller?: string | undefined;
}

/** The limits of one action. Exceeding one ends the action with an error that names it. */
export interface CodeLimits {
  /**
   * Wall-clock time, without the time that calls wait for approval. The caller of `run` enforces it by aborting the
   * signal.
   */
  readonly wallMs: number;
  /** Time spent computing. Waiting for tools does not count. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Printed text in bytes. More is truncated. */
  readonly outputBytes: number;
  /** The size of the result as JSON, in bytes. */
  readonly valueBytes: number;
  readonly sourceBytes: number;
  readonly calls: number;
}

export interface CodeContext extends AsyncDisposable {
  /** Runs one action. A failure of the code is a result with an error, never a thrown exception. */
  run(code: string, host: CodeHost): Promise<CodeResult>;
  /** The state of the context as bytes. Absent if the engine cannot save state. */
  snapshot?(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What one action can reach of the host. */
export interface CodeHost {
  /** Calls a tool through the pipeline. Returns its value or throws a `BiplaneError`. */
  call(tool: string, input: unknown): unknown;
  /** Aborts the action. A reason with the code `TIMEOUT` counts as a limit, any other as a cancellation. */
  readonly signal: AbortSignal;
}

export interface CodeResult {
  /** The last expression or the returned value, as plain data. Undefined if there is none. */
  readonly value: unknown;
  readonly stdout: string;
  readonly stderr: string;
  /** True if the output or the value was truncated. */
  readonly truncated: boolean;
  readonly error: CodeError | undefined;
}

/** Why an action failed. It contains no details of the host. */
export interface CodeError {
  readonly kind: "syntax" | "thrown" | "limit" | "cancelled" | "lost";
  /** The error's name in the language, such as `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** The error code, if a tool call failed. */
  readonly code: string | undefined;
  /** The stack frames of the agent's code, as the language prints them. */
  readonly trace: string | undefined;
}
