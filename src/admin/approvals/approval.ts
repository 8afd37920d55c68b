import type { AgentContext, Principal, Route } from "../../tool/call.ts";

/** A call that waits, or waited, for an answer: one for each caller and exact subject. */
export interface Approval {
  /** Made from the server, the caller and the subject: the same call asks under the same id. */
  readonly id: string;
  readonly status: "waiting" | "approved" | "used" | "rejected" | "expired";
  readonly server: string;
  readonly tool: string;
  readonly question: string;
  /** What the tool would get, without secrets. */
  readonly input: unknown;
  /** SHA-256 of what an approval covers: server, tool, and the exact input or what the policy named instead. */
  readonly hash: string;
  /** What the policy named instead of the input, if it did; without secrets. */
  readonly subject: unknown;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly route: Route;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** The request that all calls of one piece of agent code share. */
  readonly batch: string;
  readonly askedAt: string;
  /** When a question that nobody answered, or an answer that nobody came for, is over. */
  readonly expiresAt: string;
  readonly answeredBy?: string;
  readonly answeredAt?: string;
  readonly reason?: string;
  /** The standing approval that came of it. */
  readonly grant?: string;
}

/** Which approvals to list. */
export interface ApprovalFilter {
  readonly status?: Approval["status"];
  readonly server?: string;
  readonly tool?: string;
  /** The id of the caller. */
  readonly principal?: string;
  readonly batch?: string;
  /** The last one of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

/** An approval that holds until it is taken back. */
export interface Grant {
  readonly id: string;
  readonly server: string;
  /** For this exact subject. */
  readonly hash?: string;
  /** For calls like these, as a rule of a policy writes it: `{ tool: "refund_*", arguments: { amount: { max: 100 } } }`. */
  readonly pattern?: unknown;
  /** What the hash was made of, where a policy named it; without secrets. */
  readonly subject?: unknown;
  /** Only for this caller; left out, for every one. */
  readonly principal?: Pick<Principal, "kind" | "id">;
  readonly tool: string;
  readonly grantedBy: string;
  readonly grantedAt: string;
}

/** A no to one exact subject that holds, for everyone, until a person decides otherwise. */
export interface Refusal {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly subject: unknown;
  readonly reason: string;
  readonly refusedBy: string;
  readonly refusedAt: string;
}

/** What a person decides about by name, whether or not a call has asked: the subject as the tool's policy names it. */
export interface Matter {
  readonly server: string;
  readonly tool: string;
  readonly subject: unknown;
}

/** A decision that holds for everyone who asks about exactly this. */
export type Verdict = { readonly verdict: "approve" } | { readonly verdict: "reject"; readonly reason: string };

/** A person's answer. */
export type Answer =
  | { readonly verdict: "approve"; readonly hold?: Hold }
  | { readonly verdict: "reject"; readonly reason: string };

/** How far an approval reaches: this once, or from now on. */
export type Hold =
  | { readonly kind: "once" }
  | { readonly kind: "always"; readonly for?: "caller" | "everyone" }
  | { readonly kind: "pattern"; readonly pattern: unknown; readonly for?: "caller" | "everyone" };
