import type { AgentContext, Principal, Route } from "@biplane/core";
import type { ApprovalStatus } from "@biplane/core/internal";

/** A call that waits or waited for an answer. One open record per caller, exact subject and set of rules. */
export interface Approval {
  /** Derived from the caller, the subject and the rules that ask, so that the same call finds the same record. */
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly server: string;
  readonly tool: string;
  /** All open questions, a line each. */
  readonly question: string;
  /** The rules that ask, one for each line of `question`. Records of version 0.1 have none. */
  readonly rules?: readonly string[];
  /** The tool's input, without secrets. */
  readonly input: unknown;
  /** SHA-256 of what the approval covers: server, tool, and the exact input or the policy's `subject`. */
  readonly hash: string;
  /** What the policy named instead of the input, if it did. Without secrets. */
  readonly subject?: unknown;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly route: Route;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Shared by all calls of one piece of agent code. */
  readonly batch: string;
  readonly askedAt: string;
  /** When an unanswered question, or an unused answer, expires. */
  readonly expiresAt: string;
  /** How many different people must approve, if more than one. */
  readonly approvers?: number;
  /** Who has approved so far, if it needs several people. */
  readonly votes?: readonly ApprovalVote[];
  /** The person who should answer. */
  readonly assignee?: string;
  readonly answeredBy?: string;
  readonly answeredAt?: string;
  /** Why it was rejected, or the comment of the person who approved it. */
  readonly reason?: string;
  /** The id of the grant that the answer created. */
  readonly grant?: string;
}

/** One person's approval of a call that needs several. */
export interface ApprovalVote {
  readonly by: string;
  readonly at: string;
  readonly comment?: string;
}

/** Which approvals to list. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus;
  readonly server?: string;
  readonly tool?: string;
  /** The id of the caller. */
  readonly principal?: string;
  readonly batch?: string;
  /** The name of the person who should answer. */
  readonly assignee?: string;
  /** Id of the last approval of the previous page. */
  readonly after?: string;
  readonly limit?: number;
}

/** A standing approval. It holds until it is revoked. */
export interface Grant {
  readonly id: string;
  readonly server: string;
  /** The exact subject that the grant covers. */
  readonly hash?: string;
  /**
   * Calls that the grant covers, in the syntax of policy rules: `{ tool: "refund_*", arguments: { amount: { max: 100 }
   * } }`.
   */
  readonly pattern?: unknown;
  /** The rules whose questions it answers. Without a `subject`, it answers no other rule. */
  readonly rules?: readonly string[];
  /** What `hash` was computed from, if a policy named it. Without secrets. */
  readonly subject?: unknown;
  /** The input that `hash` was computed from otherwise. Without secrets. Grants of earlier versions may have none. */
  readonly input?: unknown;
  /** The only caller it applies to (default: every caller). */
  readonly principal?: Pick<Principal, "kind" | "id">;
  readonly tool: string;
  readonly grantedBy: string;
  readonly grantedAt: string;
}

/** A standing approval in a list. Inputs can be long. */
export interface GrantSummary extends Omit<Grant, "input"> {
  /** The beginning of the input, as JSON. */
  readonly preview?: string;
}

/** A standing rejection of one exact subject, for every caller, until a person decides otherwise. */
export interface StandingRejection {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly subject?: unknown;
  readonly reason: string;
  readonly refusedBy: string;
  readonly refusedAt: string;
}

/** A subject that a person can decide about before any call asks, as the tool's policy names it. */
export interface ApprovalSubject {
  readonly server: string;
  readonly tool: string;
  readonly subject?: unknown;
}

/** A decision for every caller that asks about exactly this subject. */
export type StandingDecision =
  | { readonly verdict: "approve" }
  | { readonly verdict: "reject"; readonly reason: string };

/** A person's answer to waiting calls. */
export type ApprovalAnswer =
  | { readonly verdict: "approve"; readonly scope?: ApprovalScope; readonly comment?: string }
  | { readonly verdict: "reject"; readonly reason: string };

/** What an approval covers: one call, the exact subject from now on, or every call that matches a pattern. */
export type ApprovalScope =
  | { readonly kind: "once" }
  | { readonly kind: "always"; readonly for?: "caller" | "everyone" }
  | { readonly kind: "pattern"; readonly pattern: unknown; readonly for?: "caller" | "everyone" };
