import type { ErrorCode } from "../errors.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";

/**
 * What watches calls: `onStart` fires for every call, then exactly one of `onEnd` and `onError`.
 * Hooks get frozen copies and cannot change a call; one that throws is reported and otherwise ignored.
 */
export interface Hooks {
  onStart?(start: CallStart): unknown;
  onEnd?(end: CallEnd): unknown;
  onError?(end: CallError): unknown;
}

export interface CallStart {
  readonly tool: string;
  /** As it came, before it was checked. */
  readonly input: unknown;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly route: Route;
  readonly session: string | undefined;
  readonly startedAt: Date;
}

export interface CallEnd extends CallStart {
  readonly episode: string | undefined;
  readonly durationMs: number;
  /** The returned value, or undefined where the call waits for answers. */
  readonly value: unknown;
  readonly status: "done" | "suspended";
}

export interface CallError extends CallStart {
  readonly episode: string | undefined;
  readonly durationMs: number;
  readonly error: { readonly code: ErrorCode; readonly message: string };
}
