import type { Redactor } from "./redact/redactor.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";

/**
 * Decides whether a call may run. All policies must allow it; the first denial ends the call. A policy that throws
 * denies. `input` is the parsed input.
 */
export type Policy = (
  agent: AgentContext,
  toolName: string,
  input: unknown,
  context: PolicyContext,
) => Decision | Promise<Decision>;

export interface PolicyContext {
  readonly principal: Principal;
  readonly route: Route;
  readonly mode: Mode;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Identifies the call: `run` finds the same object in `call.identity`. */
  readonly identity: object;
  /** Redacts text that a decision quotes from the input. */
  readonly redactor: Redactor | undefined;
}

/** Simulation serves trainers too. Production serves only agents, under policy. */
export type Mode = "simulation" | "production";

/** What a policy returns. */
export type Decision =
  | { readonly verdict: "allow"; readonly rule?: string }
  | ({ readonly verdict: "deny"; readonly reason: string } & DenyOptions)
  | ({ readonly verdict: "ask"; readonly question: string } & AskOptions);

/** A decision that needs a person, with the rule that made it. */
export type Asked = Extract<Decision, { verdict: "ask" }> & { readonly rule: string };

export interface DenyOptions {
  /** The scopes that would have sufficed, so that an OAuth client can request them. */
  readonly scopes?: readonly string[];
  /** Name of the rule that denies (default: the policy's function name). */
  readonly rule?: string;
}

export interface AskOptions {
  /** Plain data that identifies what is approved, such as a script's hash (default: the exact input). */
  readonly subject?: unknown;
  /** `false` forbids the caller's own user to approve, whatever the operator allows. */
  readonly byCaller?: boolean;
  /** Name of the rule that asks. A standing approval answers only this rule (default: the policy's function name). */
  readonly rule?: string;
  /** How many different people must approve (default: 1). Standing approvals do not answer a question that needs more. */
  readonly approvers?: number;
  /** The message for the caller while the approval is pending (default: the question and what to do next). */
  readonly pendingMessage?: string | undefined;
}

const allowed: Decision = Object.freeze({ verdict: "allow" });

/** Lets the call run. */
export const allow = (): Decision => allowed;
/** Refuses the call. The agent reads the reason. */
export const deny = (reason: string, options: DenyOptions = {}): Decision => ({
  verdict: "deny",
  reason,
  ...options,
});
/** Asks a person to decide. */
export const ask = (question: string, options: AskOptions = {}): Decision => ({ verdict: "ask", question, ...options });

/** Without a count, one person suffices. */
export function isApproverCount(count: unknown): count is number | undefined {
  return count === undefined || (typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= 20);
}
