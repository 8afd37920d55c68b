import type { Principal, Route } from "@biplane/core";
import type { ApprovalStatus } from "@biplane/core/internal";
import type { ApprovalRow, DecisionRow, GrantRow, RejectionRow } from "../../store/tables.ts";
import { storable } from "../../store/storable.ts";
import type { Approval, Grant, StandingRejection } from "./approval.ts";

/** An approval with its decision, and the number of the question's last round. */
export type FoundApproval = ApprovalRow &
  Pick<DecisionRow, "grant_id"> & {
    readonly decided_by: string | null;
    readonly decided_at: number | null;
    readonly reason: string | null;
    readonly last_round: number | null;
  };

/** A question that has not been stored yet. */
export type NewApproval = Omit<Approval, "answeredBy" | "answeredAt" | "reason" | "grant" | "votes" | "assignee">;

export function approvalFrom(row: FoundApproval, now: number): Approval {
  return {
    id: shownId(row),
    status: approvalStatus(row, now),
    server: row.server,
    tool: row.tool,
    question: row.question,
    ...(row.rules !== null && { rules: JSON.parse(row.rules) as string[] }),
    input: fromJson(row.input),
    hash: row.hash,
    subject: fromJson(row.subject),
    principal: { kind: row.principal_kind as Principal["kind"], id: row.principal_id },
    agent: fromJson(row.agent) as Approval["agent"],
    route: row.route as Route,
    session: row.session ?? undefined,
    episode: row.episode ?? undefined,
    batch: row.batch,
    askedAt: toIso(row.asked_at),
    expiresAt: toIso(row.expires_at),
    ...(row.approvers > 1 && { approvers: row.approvers }),
    ...(row.assignee !== null && { assignee: row.assignee }),
    ...(row.decided_by !== null && { answeredBy: row.decided_by }),
    ...(row.decided_at !== null && { answeredAt: toIso(row.decided_at) }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.grant_id !== null && { grant: row.grant_id }),
  };
}

/** What a list or a search needs. Inputs can be long. */
export interface ApprovalSummary extends Pick<Approval, "id" | "status" | "server" | "tool" | "question" | "askedAt"> {
  /** The id of the principal. */
  readonly principal: string;
  /** The id of the agent. */
  readonly agent: string;
}

export const summaryColumns = [
  "approvals.id",
  "approvals.round",
  "approvals.status",
  "approvals.server",
  "approvals.tool",
  "approvals.question",
  "approvals.principal_id",
  "approvals.agent",
  "approvals.asked_at",
  "approvals.expires_at",
] as const;

type ColumnOf<Name> = Name extends `approvals.${infer Column extends keyof ApprovalRow}` ? Column : never;
type SummaryRow = Pick<FoundApproval, ColumnOf<(typeof summaryColumns)[number]> | "last_round">;

export function approvalSummaryFrom(row: SummaryRow, now: number): ApprovalSummary {
  return {
    id: shownId(row),
    status: approvalStatus(row, now),
    server: row.server,
    tool: row.tool,
    question: row.question,
    principal: row.principal_id,
    agent: (fromJson(row.agent) as Approval["agent"]).agentId,
    askedAt: toIso(row.asked_at),
  };
}

function shownId({ id, round, last_round }: Pick<FoundApproval, "id" | "round" | "last_round">): string {
  return round === last_round ? id : `${id}.${round}`;
}

/** Unanswered questions and unused approvals expire. */
export function approvalStatus(
  { status, expires_at }: Pick<ApprovalRow, "status" | "expires_at">,
  now: number,
): ApprovalStatus {
  return status !== "used" && status !== "rejected" && expires_at <= now ? "expired" : status;
}

export function approvalRow(question: NewApproval, round: number): ApprovalRow {
  return {
    id: question.id,
    round,
    status: "waiting",
    server: question.server,
    tool: question.tool,
    question: storable(question.question),
    rules: toJson(question.rules),
    input: toJson(question.input) ?? "null",
    hash: question.hash,
    subject: toJson(question.subject),
    principal_kind: question.principal.kind,
    principal_id: storable(question.principal.id),
    agent: toJson(question.agent) ?? "{}",
    route: question.route,
    session: question.session ?? null,
    episode: question.episode ?? null,
    batch: storable(question.batch),
    asked_at: Date.parse(question.askedAt),
    expires_at: Date.parse(question.expiresAt),
    approvers: question.approvers ?? 1,
    assignee: null,
  };
}

/** What is read of a grant. Its input is only read by `StandingRecords.grant`. */
type FoundGrant = Omit<GrantRow, "input" | "kind" | "approval" | "round" | "with_grant" | "expires_at" | "ended_at">;

export function grantFrom(row: FoundGrant): Omit<Grant, "input"> {
  return {
    id: row.id,
    server: row.server,
    tool: row.tool,
    ...(row.hash !== null && { hash: row.hash }),
    ...(row.pattern !== null && { pattern: fromJson(row.pattern) }),
    ...(row.rules !== null && { rules: fromJson(row.rules) as string[] }),
    ...(row.subject !== null && { subject: fromJson(row.subject) }),
    ...(row.principal_kind !== null &&
      row.principal_id !== null && {
        principal: { kind: row.principal_kind as Principal["kind"], id: row.principal_id },
      }),
    grantedBy: row.granted_by,
    grantedAt: toIso(row.granted_at),
  };
}

export function standingGrantRow(grant: Grant): GrantRow {
  return {
    id: grant.id,
    kind: "standing",
    server: grant.server,
    tool: grant.tool,
    hash: grant.hash ?? null,
    pattern: toJson(grant.pattern),
    rules: toJson(grant.rules),
    subject: toJson(grant.subject),
    principal_kind: grant.principal?.kind ?? null,
    principal_id: grant.principal ? storable(grant.principal.id) : null,
    approval: null,
    round: null,
    with_grant: null,
    granted_by: grant.grantedBy,
    granted_at: Date.parse(grant.grantedAt),
    expires_at: null,
    ended_at: null,
    input: toJson(grant.input),
  };
}

export function rejectionFrom(row: RejectionRow): StandingRejection {
  const { hash, server, tool, subject, reason, refused_by: refusedBy, refused_at: refusedAt } = row;
  return { hash, server, tool, subject: fromJson(subject), reason, refusedBy, refusedAt: toIso(refusedAt) };
}

export function rejectionRow(rejection: StandingRejection): RejectionRow {
  const { hash, server, tool, subject, reason, refusedBy, refusedAt } = rejection;
  return {
    hash,
    server,
    tool,
    subject: toJson(subject),
    reason,
    refused_by: refusedBy,
    refused_at: Date.parse(refusedAt),
  };
}

export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

export function fromJson(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json);
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
