import type { AuditCall, AuditGap } from "../../governance/audit/write-line.ts";
import {
  anyOf,
  anything,
  boolean,
  described,
  enumOf,
  instant,
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

const decision = enumOf("allowed", "approved", "asked", "rejected", "denied", "refused");

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
        decision,
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
        decision,
        route: described("`people` for actions by people", route),
        since: described("Entries from this time on", instant),
        until: described("Entries before this time", instant),
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
  "GET /api/audit/state": {
    scope: "audit",
    summary: "the number of entries, and the last check of all of them",
    response: named(
      "AuditState",
      object({
        isRecorded: described("False without a `store` in the config: nothing is recorded", boolean),
        entries: described("Number of the newest entry", integer),
        checked: described(
          "The last complete check that this process made; null if none",
          orNull(object({ at: time, ok: boolean, lines: integer, why: orNull(text) })),
        ),
      }),
    ),
  },
  "GET /api/audit/verify": {
    scope: "audit",
    summary: "check the hashes of the next entries; repeat with `after` and `head` until `next` is null",
    query: object(
      {},
      {
        after: described("The `next` of the previous response", { type: "integer", minimum: 0 }),
        head: described("The `head` of the previous response", text),
      },
    ),
    response: named(
      "AuditCheck",
      object({
        ok: boolean,
        lines: described("Entries that are right so far, with those that were exported and cut", integer),
        total: described("Number of the newest entry", integer),
        head: described("Hash of the last entry that is right. Keep it elsewhere to detect a rewritten log", text),
        next: described("Value for `after`; null at the end and after a fault", orNull(integer)),
        why: described("What is wrong with the first wrong entry", orNull(text)),
      }),
    ),
  },
} as const satisfies Operations;
