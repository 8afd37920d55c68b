import { approvalStatuses } from "@biplane/core/internal";
import type { ValueOf } from "@biplane/core/internal";
import type { Approval, Grant } from "../../governance/approvals/approval.ts";
import { anyOf, anything, described, enumOf, list, named, object, shape, text, time } from "../../schema/builders.ts";
import { agent, caller, route } from "../calls/call-api.ts";
import { filteredPage, pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const status = enumOf(...approvalStatuses);

const approval = named(
  "Approval",
  shape<Approval>(
    {
      id: text,
      status,
      server: text,
      tool: text,
      question: described("All open questions, a line each", text),
      input: anything,
      hash: text,
      principal: caller,
      agent,
      route,
      batch: described("Shared by all calls of one piece of agent code", text),
      askedAt: time,
      expiresAt: time,
    },
    {
      rules: described("The rules that ask, in the order of the questions", list(text)),
      subject: described("What the policy named instead of the input", anything),
      session: described("Public id of the MCP session", text),
      episode: text,
      answeredBy: text,
      answeredAt: time,
      reason: text,
      grant: text,
    },
  ),
);

const PreviousApproval = named("PreviousApproval", object({ input: anything, answeredBy: text, answeredAt: time }));
export type PreviousApproval = ValueOf<typeof PreviousApproval>;

const appliesTo = enumOf("caller", "everyone");

const approvalScope = named(
  "ApprovalScope",
  anyOf(
    object({ kind: { const: "once" } }),
    object({ kind: { const: "always" } }, { for: appliesTo }),
    object(
      { kind: { const: "pattern" }, pattern: described("An object in the syntax of policy rules", anything) },
      { for: appliesTo },
    ),
  ),
);

const ids = { ...list(text), minItems: 1, maxItems: 1000, uniqueItems: true } as const;

const approvalAnswer = named(
  "ApprovalAnswer",
  anyOf(
    object({ ids, verdict: { const: "approve" } }, { scope: approvalScope }),
    object({ ids, verdict: { const: "reject" }, reason: described("Sent to the caller", text) }),
  ),
);

const grant = named(
  "Grant",
  shape<Grant>(
    { id: text, server: text, tool: text, grantedBy: text, grantedAt: time },
    {
      hash: text,
      pattern: anything,
      rules: described("The rules it answers", list(text)),
      subject: anything,
      principal: caller,
    },
  ),
);

/** Waiting calls and standing approvals. */
export const approvalOperations = {
  "GET /api/approvals": {
    scope: "approvals",
    summary: "calls that wait or waited for approval, newest first",
    query: filteredPage({
      status,
      server: text,
      tool: text,
      principal: described("The id of the caller", text),
      batch: text,
    }),
    response: pageOf("approvals", approval),
  },
  "GET /api/approvals/:id": { scope: "approvals", summary: "one approval", response: approval },
  "GET /api/approvals/:id/previous": {
    scope: "approvals",
    summary: "the last approved call of the same tool, for comparison",
    response: PreviousApproval,
  },
  "POST /api/approvals/answer": {
    scope: "approvals",
    summary: "answer waiting calls; fails if one no longer waits",
    body: approvalAnswer,
    response: object({ approvals: list(approval) }),
  },
  "GET /api/grants": {
    scope: "approvals",
    summary: "standing approvals",
    query: pageQuery,
    response: pageOf("grants", grant),
  },
  "DELETE /api/grants/:id": { scope: "approvals", summary: "revoke a standing approval" },
} as const satisfies Operations;
