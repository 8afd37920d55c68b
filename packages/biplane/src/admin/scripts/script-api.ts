import type { ValueOf } from "@biplane/core/internal";
import { scriptStatuses } from "../../pack/script/approval-state.ts";
import {
  anyOf,
  boolean,
  described,
  enumOf,
  list,
  named,
  number,
  object,
  orNull,
  text,
  time,
} from "../../schema/builders.ts";
import { outcome, ResultBody } from "../calls/call-api.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const script = {
  name: text,
  description: orNull(text),
  hash: described("SHA-256 of the exact bytes; empty if unreadable", { type: "string", pattern: "^([0-9a-f]{64})?$" }),
  status: described("`broken` scripts cannot run at all", enumOf(...scriptStatuses, "broken")),
  secrets: described("Names of the secrets it can read", list(text)),
  changedAt: described("When the file was last changed; null if unreadable", orNull(time)),
  decidedBy: orNull(text),
  decidedAt: orNull(time),
  lastApproval: described(
    "The last approval of another version, if the script was modified since",
    orNull(object({ by: text, at: time })),
  ),
  fault: described("Why it cannot run", orNull(text)),
};

const ScriptSummary = named("ScriptSummary", object(script));
export type ScriptSummary = ValueOf<typeof ScriptSummary>;

const ScriptDetail = named(
  "ScriptDetail",
  object({
    ...script,
    source: text,
    approvedSource: described("The last approved source, if it differs", orNull(text)),
    history: list(object({ hash: text, verdict: text, by: text, at: time })),
  }),
);
export type ScriptDetail = ValueOf<typeof ScriptDetail>;

const ScriptRun = named(
  "ScriptRun",
  object({ outcome, result: orNull(ResultBody), message: orNull(text), durationMs: number }),
);
export type ScriptRun = ValueOf<typeof ScriptRun>;

const hash = described("SHA-256 of the script as shown, so that exactly that is meant", {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
});
const changed = { 409: "The file has changed since this hash was read" };

export const scriptOperations = {
  "GET /api/scripts": {
    scope: "approvals",
    summary: "scripts with their approval status",
    query: pageQuery,
    response: pageOf("scripts", ScriptSummary),
  },
  "GET /api/scripts/:name": {
    scope: "approvals",
    summary: "a script with its source, the last approved source, and past decisions",
    response: ScriptDetail,
  },
  "POST /api/scripts/:name/verdict": {
    scope: "approvals",
    summary: "approve or reject exactly the reviewed bytes",
    body: anyOf(
      object({ verdict: { const: "approve" }, hash }),
      object({ verdict: { const: "reject" }, hash, reason: text }),
    ),
    response: ScriptDetail,
    errors: changed,
  },
  "POST /api/scripts/:name/run": {
    scope: "approvals",
    summary: "run a script: as a trial without network and secrets, or `live` if approved",
    body: object(
      {},
      {
        input: described("A list of positional arguments, or an object of named ones", {
          type: ["array", "object", "null"],
        }),
        function: described("Default: main", text),
        hash,
        live: { ...described("Run it like an agent's call; also needs the scope `tools`", boolean), default: false },
      },
    ),
    response: ScriptRun,
    errors: { ...changed, 501: "No script pack is served", 503: "Too many trials are running" },
  },
} as const satisfies Operations;
