import type { ErrorCode } from "../errors.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";

/**
 * Observers of calls. `onStart` fires for every call, then exactly one of `onEnd` and `onError`.
 * Hooks receive frozen copies. A hook that throws is reported and otherwise ignored.
 */
export interface Hooks {
  onStart?(start: CallStart): unknown;
  onEnd?(end: CallEnd): unknown;
  onError?(end: CallError): unknown;
}

export interface CallStart {
  readonly tool: string;
  /** The raw input, before validation. */
  readonly input: unknown;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly route: Route;
  readonly session: string | undefined;
  readonly startedAt: Date;
}

export interface CallEnd extends CallStart {
  readonly episode: string | undefined;
  /** With `waitedMs`, the time that the call waited for people. */
  readonly durationMs: number;
  readonly waitedMs: number;
  /** The returned value; undefined if the call is suspended. */
  readonly value: unknown;
  readonly status: "done" | "suspended";
}

export interface CallError extends CallStart {
  readonly episode: string | undefined;
  /** With `waitedMs`, the time that the call waited for people. */
  readonly durationMs: number;
  readonly waitedMs: number;
  readonly error: { readonly code: ErrorCode; readonly message: string };
}
