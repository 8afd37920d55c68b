import type { TextStyle } from "../template.ts";
import type { ContentPart, ToolDefinition } from "../message.ts";
import type { RowSetup } from "../row.ts";

/** The way into one episode, whatever is behind it: an environment in this process, or a server of some kind. */
export interface Door {
  /** Begins the episode. */
  start(signal: AbortSignal): Promise<Beginning>;
  /** Makes a call. What the tool itself fails with is an answer; only what ends the rollout is thrown. */
  act(action: Action, signal: AbortSignal): Acted | Promise<Acted>;
  /** What the last call was worth, and whether the episode is over. */
  judge(signal: AbortSignal): Judgement | Promise<Judgement>;
  /** What a call would be worth, without making it; left out where that cannot be known. */
  lookAhead?(action: Action): Promise<Judgement>;
  /** Gives everything back. Safe at any time, and more than once; gives what went wrong with it. */
  end(): Promise<readonly Fault[]>;
}

/** Opens doors of one kind: one for each rollout. */
export interface DoorMaker {
  /** What is behind it, for people. */
  readonly name: string;
  readonly kind: DoorKind;
  open(visit: Visit): Door;
  close(): Promise<void>;
}

export type DoorKind = "environment" | "eval-protocol" | "openenv" | "mcp";

/** Who comes in, and what for. */
export interface Visit {
  readonly setup: RowSetup;
  readonly sessionId: string;
  readonly model: string;
  readonly style: TextStyle;
  /** Rollouts of one group begin from one episode, forked. */
  readonly group: string | undefined;
}

export interface Action {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Beginning {
  /** What is seen first. */
  readonly observation: unknown;
  /** The same with Python's numbers, where the door was asked for Python's text and knows them. */
  readonly exact?: unknown;
  readonly source: "environment" | "control_plane" | "resource" | "default";
  readonly tools: readonly ToolDefinition[];
  /** The seed that was drawn, where the row had none and the door can know. */
  readonly seed?: string;
  readonly faults: readonly Fault[];
}

export interface Acted {
  readonly observation: unknown;
  /** What a model reads of it. */
  readonly content: string | readonly ContentPart[];
  readonly isError: boolean;
  /** The calls that a code action made. */
  readonly inner?: readonly unknown[];
  readonly approval?: unknown;
}

export interface Judgement {
  /** Null where the step says nothing; it adds nothing. */
  readonly reward: number | null;
  readonly parts?: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount?: number | undefined;
  /** Where reward and status came from, in Eval Protocol's words. */
  readonly info: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** Something that went wrong on the control plane, and for which a safe default was taken. */
export interface Fault {
  readonly what: "initial_state" | "reward" | "status" | "reset_session" | "close";
  readonly why: string;
}
