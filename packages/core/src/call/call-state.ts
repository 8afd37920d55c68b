import type { Tool } from "../tool/tool.ts";
import type { CallHost } from "./call-host.ts";
import type { CallStart } from "./hooks.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Asked } from "./policy.ts";
import type { CallTimeline } from "./call-timeline.ts";

/** A call and everything the pipeline has learned about it so far. */
export interface CallState {
  readonly call: LiveCall;
  readonly host: CallHost;
  readonly startedAt: number;
  /** What hooks receive; only built if there are hooks. */
  start: CallStart | undefined;
  /** The input as hooks and the audit log see it. */
  recorded: { readonly input: unknown } | undefined;
  tool: Tool | undefined;
  input: unknown;
  /** `ask` decisions that still need an approver. */
  asked: Asked[] | undefined;
  /** The rules that decided, for the audit log. */
  rules: string[] | undefined;
  /** The approver, once approved. */
  approvedBy: string | undefined;
  value: unknown;
  /** True once limits, policies and approver have let the call enter its episode. */
  isAdmitted: boolean;
  /** True while the call holds its episode's turn. */
  entered: boolean;
  /** Pending reward and ending of the step. */
  judging: Promise<void> | undefined;
  /** Set while the step is being saved. */
  saving: Promise<boolean> | undefined;
  /** Releases the call's concurrency slot. */
  release: (() => void) | undefined;
  outcome: Outcome | undefined;
  /** True if an earlier try of the call has the answer, so that the remaining steps are skipped. */
  isRecalled: boolean;
  /** Set if the call has a key and is kept for a second try. */
  claim: string | undefined;
  /** The id of the episode, if there is one. */
  episode: string | undefined;
  /** How often the call was made again because another process continued the episode first. */
  repeats: number;
  /** Only recorded if a meter wants it. */
  readonly timeline: CallTimeline | undefined;
}

/** One step of the pipeline. It throws to end the call, and returns a promise only if it must wait. */
export type CallStep = (state: CallState) => void | Promise<void>;

/** The resolved tool. */
export function toolOf(state: CallState): Tool {
  if (!state.tool) throw new Error("A pipeline step read the tool before resolve.");
  return state.tool;
}
