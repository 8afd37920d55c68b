import { isRecord } from "../is-record.ts";
import { cutBetweenWords } from "../bounds/cut-between-words.ts";

/** What kept a step, an episode or a rollout from its own end. */
export const failureKinds = [
  /** The environment's own code or data: `open`, `start`, `observe`, `status`, or a row that cannot be played. */
  "environment",
  /** A tool threw. */
  "tool",
  /** The agent's own code threw, or it answered something that cannot be used. */
  "agent",
  /** The endpoint of the agent's model failed. */
  "model",
  /** The simulated user failed. */
  "simulator",
  /** `reward`, a rubric or a judge failed, so the reward is unknown. */
  "judge",
  /** A policy or a person refused. */
  "policy",
  /** Something took too long. */
  "timeout",
  /** A connection, a store or a machine failed. */
  "infrastructure",
  /** The episode is gone: its process died, or it was idle for too long. */
  "lost",
  /** Somebody stopped it. */
  "cancelled",
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Why a step, an episode or a rollout did not reach its own end. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** True if it says nothing about the agent. Then there is no reward: null, never 0. */
  readonly masked: boolean;
}

/** Which kinds are masked, where that differs from the default. */
export type Masks = Readonly<Partial<Record<FailureKind, boolean>>>;

/** Makes a failure. By default, it is masked unless the agent caused it. */
export function makeFailure(kind: FailureKind, message: string, masks: Masks = {}): Failure {
  return { kind, message: cutBetweenWords(message, maxMessageLength), masked: masks[kind] ?? !agentCaused.has(kind) };
}

/** The failure that counts, of two: the first, unless only the other one is masked. */
export function firstFailure(one: Failure | undefined, other: Failure | undefined): Failure | undefined {
  return one && (one.masked || !other?.masked) ? one : other;
}

/** Reads a failure that another process wrote. Undefined if it is none. */
export function readFailure(value: unknown): Failure | undefined {
  if (!isRecord(value) || typeof value["message"] !== "string") return undefined;
  const kind = failureKinds.find((each) => each === value["kind"]);
  if (kind === undefined) return undefined;
  const { masked } = value;
  return makeFailure(kind, value["message"], typeof masked === "boolean" ? { [kind]: masked } : {});
}

/** A tool that throws tells the agent what it did wrong, and a policy what it must not do. */
const agentCaused: ReadonlySet<FailureKind> = new Set<FailureKind>(["tool", "agent", "policy"]);
const maxMessageLength = 2000;
