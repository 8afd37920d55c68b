import { approvalStatuses } from "@biplane/core/internal";
import type { ValueOf } from "@biplane/core/internal";
import type { Approval, ApprovalVote, Grant, GrantSummary } from "../../governance/approvals/approval.ts";
import {
  anyOf,
  anything,
  described,
  enumOf,
  integer,
  list,
  named,
  object,
  orNull,
  shape,
  text,
  time,
} from "../../schema/builders.ts";
import { agent, caller, CallSummary, route } from "../calls/call-api.ts";
import { filteredPage, pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const status = enumOf(...approvalStatuses);

const vote = shape<ApprovalVote>({ by: text, at: time }, { comment: text });

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
      approvers: described("How many different people must approve, if more than one", integer),
      votes: described("Who has approved so far, if it needs several people", list(vote)),
      assignee: described("The person who should answer", text),
      answeredBy: text,
      answeredAt: time,
      reason: described("Of a rejection, or the comment of an approval", text),
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

const comment = { type: "string", maxLength: 1000 } as const;

const approvalAnswer = named(
  "ApprovalAnswer",
  anyOf(
    object(
      { ids, verdict: { const: "approve" } },
      { scope: approvalScope, comment: described("Kept with the decision; the caller does not get it", comment) },
    ),
    object({ ids, verdict: { const: "reject" }, reason: described("Sent to the caller", text) }),
  ),
);

const grantFacts = { id: text, server: text, tool: text, grantedBy: text, grantedAt: time };
const grantCoverage = {
  hash: text,
  pattern: anything,
  rules: described("The rules it answers", list(text)),
  subject: anything,
  principal: caller,
};
const grantSummary = named(
  "GrantSummary",
  shape<GrantSummary>(grantFacts, {
    ...grantCoverage,
    preview: described("The beginning of the exact input that it covers, as JSON", text),
  }),
);
const grant = named(
  "Grant",
  shape<Grant>(grantFacts, {
    ...grantCoverage,
    input: described("The exact input that it covers, if it is known", anything),
  }),
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
      assignee: described("The name of the person who should answer", text),
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
  "POST /api/approvals/assign": {
    scope: "approvals",
    summary: "assign waiting calls to a person",
    body: object({ ids, to: described("A name; null for nobody", orNull(text)) }),
    response: object({ approvals: list(approval) }),
  },
  "GET /api/approvers": {
    scope: "approvals",
    summary: "people who may answer calls",
    response: object({ names: list(text) }),
  },
  "GET /api/grants": {
    scope: "approvals",
    summary: "standing approvals, newest first",
    query: pageQuery,
    response: pageOf("grants", grantSummary),
  },
  "GET /api/grants/:id": {
    scope: "approvals",
    summary: "a standing approval, with the input that it covers",
    response: grant,
  },
  "DELETE /api/grants/:id": { scope: "approvals", summary: "revoke a standing approval" },
} as const satisfies Operations;

/** What else the caller of a waiting call did, and which calls need more care. */
export const approvalCallOperations = {
  "GET /api/destructive-tools": {
    scope: "approvals",
    summary: "tools that declare that they may delete or overwrite data",
    response: object({ tools: list(object({ server: text, name: text })) }),
  },
  "GET /api/approvals/:id/calls": {
    scope: "approvals",
    summary: "the last calls of the same caller before it asked, newest first",
    response: object({ calls: list(CallSummary) }),
  },
} as const satisfies Operations;
