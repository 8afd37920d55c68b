import type { Tool } from "../tool/tool.ts";

/** Runs an agent's code with tools as plain functions, away from everything else. */
export interface CodeEngine extends AsyncDisposable {
  readonly language: Language;
  /** Makes a place where code runs, and where what it defines stays until the place is closed. */
  open(options: ContextOptions): Promise<CodeContext>;
  /** A tool's signature as its caller writes it in this language, with a line on what it is for. */
  signature(tool: Tool): string;
  /** Ends every context and whatever the engine keeps warm. */
  close(): Promise<void>;
}

export type Language = "javascript" | "python" | "starlark";

export interface ContextOptions {
  /** What the code can call, by name. */
  readonly tools: readonly Tool[];
  readonly limits?: Partial<CodeLimits>;
  /** A snapshot to begin with, made by a context of the same engine with the same tools. */
  readonly from?: Uint8Array;
}

/** What one action may use. Every limit that is passed ends the action with an error that names it. */
export interface CodeLimits {
  /**
   * From start to end, not counting the time that calls wait for a person. Engines do not watch it: whoever runs the
   * action aborts the host's signal.
   */
  readonly wallMs: number;
  /** Time in the guest itself: waiting for tools does not count. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Printed text, in bytes; what is beyond is cut, and said to be cut. */
  readonly outputBytes: number;
  /** The result as JSON, in bytes. */
  readonly valueBytes: number;
  readonly sourceBytes: number;
  readonly calls: number;
}

export interface CodeContext extends AsyncDisposable {
  /** Runs one action. Never throws for what the code does: that is a result with an error. */
  run(code: string, host: CodeHost): Promise<CodeResult>;
  /** All that the code has defined, as bytes; left out by engines that cannot. */
  snapshot?(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The house, as one action sees it. */
export interface CodeHost {
  /** Makes a call by the path every call takes. Gives its value or throws a `BiplaneError`. */
  call(tool: string, input: unknown): unknown;
  /** Aborted when the action must end: a limit where its reason is a `BiplaneError` of code `TIMEOUT`, else cancelled. */
  readonly signal: AbortSignal;
}

export interface CodeResult {
  /** The last expression or what was returned: plain data. Undefined where there is none. */
  readonly value: unknown;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether output or value was cut. */
  readonly truncated: boolean;
  readonly error: CodeError | undefined;
}

/** Why an action failed. Nothing in it tells of the host. */
export interface CodeError {
  readonly kind: "syntax" | "thrown" | "limit" | "cancelled" | "lost";
  /** The guest's own name for it, such as `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** Where a tool failed: its error code. */
  readonly code: string | undefined;
  /** The guest's own frames, as the language prints them. */
  readonly trace: string | undefined;
}
