import type { Tool } from "../tool/tool.ts";
import type { Body } from "./body.ts";
import type { CallStart } from "./hooks.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Asked } from "./policy.ts";
import type { Trail } from "./trail.ts";

/** A call and what the steps have found out about it so far. */
export interface Passage {
  readonly call: LiveCall;
  readonly body: Body;
  readonly startedAt: number;
  /** What hooks are told; only made where there are hooks. */
  start: CallStart | undefined;
  tool: Tool | undefined;
  input: unknown;
  /** What policies want a person to decide. */
  asked: Asked[] | undefined;
  /** Who said yes. */
  approvedBy: string | undefined;
  value: unknown;
  /** Whether the call holds its episode's turn. */
  entered: boolean;
  /** A step's reward and ending being worked out. */
  judging: Promise<void> | undefined;
  /** Gives back the call's place among those that run. */
  release: (() => void) | undefined;
  outcome: Outcome | undefined;
  /** What happened on the way; only kept where a meter wants it. */
  readonly trail: Trail | undefined;
}

/** A step of the path. It throws to end the call, and returns a promise only where it must wait. */
export type Step = (passage: Passage) => void | Promise<void>;

/** The tool, once `resolve` has found it. */
export function toolOf(passage: Passage): Tool {
  if (!passage.tool) throw new Error("the path asked for the tool before resolving it");
  return passage.tool;
}
