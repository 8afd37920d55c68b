import { randomUUID } from "node:crypto";
import type { ApprovalRequest } from "@biplane/core/internal";
import { compilePattern, messageOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { AgentContext, Principal } from "@biplane/core";
import type { Approval, Grant, ApprovalScope } from "./approval.ts";

/** A grant for the question of one rule, if there is one. */
export function grantFor(rule: string, request: GrantRequest, search: GrantSearch): Grant | undefined {
  const { call, server } = request;
  return search.grants.find(
    ({ principal, ...grant }) =>
      grant.server === server &&
      (!principal || (principal.kind === call.principal.kind && principal.id === call.principal.id)) &&
      (grant.subject !== undefined || grant.rules?.includes(rule)) &&
      !isOwn(grant, call.principal) &&
      covers(grant, request, search.now),
  );
}

/** What a grant is looked up by. */
export type GrantRequest = Pick<ApprovalRequest, "server" | "mode" | "input" | "subject" | "hash"> & {
  readonly call: Pick<ApprovalRequest["call"], "tool" | "principal" | "route"> & {
    readonly agent: Pick<AgentContext, "agentId" | "model">;
  };
};

export interface GrantSearch {
  readonly grants: readonly Grant[];
  readonly now: number;
}

/** The grant that an answer creates. A pattern is validated before it is stored. */
export function newGrant(approval: Approval, scope: LastingScope, granted: Granted): Grant {
  const { server, tool, hash, principal, subject, input, rules = [] } = approval;
  const exactly = { hash, ...(subject === undefined ? { input } : { subject }) };
  // A pattern without a tool covers only the tool that was asked about.
  const coverage = scope.kind === "always" ? exactly : { pattern: { tool, ...checked(scope.pattern, subject) } };
  const isForCaller = (scope.for ?? "caller") === "caller";
  return { id: randomUUID(), server, tool, rules, ...coverage, ...(isForCaller && { principal }), ...granted };
}

/**
 * People cannot approve their own calls in advance by approving someone else's for everyone. A subject that a policy
 * names, such as a script's bytes, is exempt: it is judged by itself.
 */
function isOwn({ grantedBy, subject }: Pick<Grant, "grantedBy" | "subject">, { kind, id }: Principal): boolean {
  return subject === undefined && grantedBy === `${kind} ${id}`;
}

type LastingScope = Exclude<ApprovalScope, { kind: "once" }>;
type Granted = Pick<Grant, "grantedBy" | "grantedAt">;

/** If a policy named a subject, such as a script's bytes, only that exact subject counts. Patterns do not apply. */
function covers({ hash, pattern }: Omit<Grant, "principal">, request: GrantRequest, now: number): boolean {
  if (hash !== undefined) return hash === request.hash;
  if (request.subject !== undefined) return false;
  const { call, input } = request;
  const { tool, agent, principal, route } = call;
  try {
    return compilePattern(pattern)({ tool, input, agent, principal, route, mode: request.mode, now });
  } catch {
    return false; // An unreadable pattern grants nothing.
  }
}

function checked(pattern: unknown, subject: unknown): object {
  if (subject !== undefined)
    throw new BiplaneError(
      "INVALID_INPUT",
      "This approval is for one exact subject. Use the scope always instead of a pattern.",
    );
  if (typeof pattern !== "object" || pattern === null || Object.keys(pattern).length === 0)
    throw new BiplaneError(
      "INVALID_INPUT",
      'A pattern must say which calls it covers, such as { "tool": "refund_*" }.',
    );
  try {
    compilePattern(pattern);
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `The pattern cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return pattern;
}
