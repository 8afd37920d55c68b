import type { AuditCall, AuditGap } from "../../governance/audit/write-line.ts";
import {
  anyOf,
  anything,
  described,
  enumOf,
  integer,
  list,
  named,
  number,
  object,
  orNull,
  shape,
  text,
  time,
} from "../../schema/builders.ts";
import { caller, outcome, route } from "../calls/call-api.ts";
import { outcomes } from "../calls/outcomes.ts";
import { pageLimit } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const link = { previous: text, hash: text, time, sequence: integer };

const auditLine = named(
  "AuditLine",
  anyOf(
    shape<AuditCall & { sequence: number }>(
      {
        kind: { const: "call" },
        ...link,
        requestId: text,
        principal: caller,
        agent: object({ agentId: text }, { model: text }),
        tool: text,
        route,
        decision: enumOf("allowed", "approved", "asked", "rejected", "denied", "refused"),
        outcome,
        durationMs: number,
        input: anything,
      },
      {
        rules: described("The rules that decided", list(text)),
        session: text,
        episode: text,
        approvedBy: text,
        message: text,
        waitedMs: number,
        isInputCut: { const: true },
      },
    ),
    shape<AuditGap & { sequence: number }>({ kind: { const: "lost" }, ...link, count: integer }),
  ),
);

export const auditOperations = {
  "GET /api/audit": {
    scope: "audit",
    summary: "audit log",
    query: object(
      {},
      {
        tool: text,
        principal: text,
        code: enumOf(...outcomes),
        order: { ...enumOf("newest", "oldest"), default: "newest" },
        after: described("The `next` value of the previous page", { type: "integer", minimum: 0 }),
        limit: pageLimit,
      },
    ),
    response: object({
      lines: list(auditLine),
      next: described("Value for `after`; null on the last page", orNull(integer)),
    }),
  },
} as const satisfies Operations;
