import { randomUUID } from "node:crypto";
import type { ApprovalRequest } from "../../call/approve.ts";
import { compilePattern } from "../../call/rules/pattern.ts";
import { messageOf, BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import type { Approval, Grant, Hold } from "./approval.ts";

/** The standing approval that covers a call, if there is one. */
export function grantFor(request: ApprovalRequest, grants: readonly Grant[], now: number): Grant | undefined {
  const { call, server } = request;
  return grants.find(
    ({ principal, ...grant }) =>
      grant.server === server &&
      (!principal || (principal.kind === call.principal.kind && principal.id === call.principal.id)) &&
      !isOwn(grant, call.principal) &&
      covers(grant, request, now),
  );
}

/** What a person grants with an answer. A pattern is checked here, before it is kept. */
export function newGrant(approval: Approval, hold: LastingHold, granted: Granted): Grant {
  const { server, tool, hash, principal, subject } = approval;
  const exactly = { hash, ...(subject !== undefined && { subject }) };
  // A pattern that names no tool is about the one that was asked about: nobody has seen the others.
  const reach = hold.kind === "always" ? exactly : { pattern: { tool, ...checked(hold.pattern, subject) } };
  const isForCaller = (hold.for ?? "caller") === "caller";
  return { id: randomUUID(), server, tool, ...reach, ...(isForCaller && { principal }), ...granted };
}

/**
 * Nobody answers his own call, nor beforehand by approving another's for everyone. What a policy names, such as a script's
 * bytes, is judged by itself, whoever runs it.
 */
function isOwn({ grantedBy, subject }: Pick<Grant, "grantedBy" | "subject">, { kind, id }: Principal): boolean {
  return subject === undefined && grantedBy === `${kind} ${id}`;
}

type LastingHold = Exclude<Hold, { kind: "once" }>;
type Granted = Pick<Grant, "grantedBy" | "grantedAt">;

/** A policy that named what it asks about, such as a script's bytes, is answered for that alone: no pattern covers it. */
function covers({ hash, pattern }: Omit<Grant, "principal">, request: ApprovalRequest, now: number): boolean {
  if (hash !== undefined) return hash === request.hash;
  if (request.asked.subject !== undefined) return false;
  const { call, input } = request;
  const { tool, agent, principal, route } = call;
  try {
    return compilePattern(pattern)({ tool, input, agent, principal, route, mode: request.mode, now });
  } catch {
    return false; // a pattern that cannot be read grants nothing
  }
}

function checked(pattern: unknown, subject: unknown): object {
  if (subject !== undefined)
    throw new BiplaneError(
      "INVALID_INPUT",
      "This approval is for one exact thing; approve it always, not by a pattern",
    );
  if (typeof pattern !== "object" || pattern === null || Object.keys(pattern).length === 0)
    throw new BiplaneError("INVALID_INPUT", 'A pattern says which calls it covers, such as { "tool": "refund_*" }');
  try {
    compilePattern(pattern);
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `The pattern cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return pattern;
}
