import { routes } from "@biplane/core/internal";
import type { ValueOf } from "@biplane/core/internal";
import {
  anything,
  described,
  enumOf,
  integer,
  list,
  named,
  object,
  orNull,
  record,
  text,
  time,
} from "../../schema/builders.ts";
import { CallSummary, caller } from "../calls/call-api.ts";
import type { Operations } from "../http/operation.ts";

const verdict = enumOf("allow", "deny", "ask");

const PolicyRule = named(
  "PolicyRule",
  object({
    id: described("Names the rule in decisions and in the audit log", text),
    name: orNull(text),
    verdict: described("Null if code decides", orNull(verdict)),
    rule: described("The rule as it is written; null if code decides", orNull(record)),
    line: described("In the config file", orNull(integer)),
    hits: described(
      "Calls that the rule matched, or that the code decided about, since the store was made",
      object({ allow: integer, deny: integer, ask: integer }),
    ),
    named: described(
      "The verdicts that the code gave a name, which are also in its hits",
      list(object({ name: text, verdict, hits: integer, lastAt: time, lastTool: text })),
    ),
    lastAt: orNull(time),
    lastVerdict: orNull(verdict),
    lastTool: orNull(text),
  }),
);
export type PolicyRule = ValueOf<typeof PolicyRule>;

const PolicyList = named(
  "PolicyList",
  object({
    source: described("`config`: the config file. `published`: this store. `code`: a server's code", text),
    server: described("The server whose code has the policy; null for all servers", orNull(text)),
    otherwise: described("The verdict if no rule matches; null if code decides", orNull(verdict)),
    rules: list(PolicyRule),
  }),
);
export type PolicyList = ValueOf<typeof PolicyList>;

const PolicyVersion = named(
  "PolicyVersion",
  object({
    version: integer,
    source: described("YAML", text),
    publishedBy: text,
    publishedAt: time,
    comment: orNull(text),
  }),
);
export type PolicyVersion = ValueOf<typeof PolicyVersion>;

const draft = described("A draft, in YAML, instead of the published rules", {
  type: "string",
  maxLength: 262_144,
} as const);

const triedCall = object(
  { tool: text },
  {
    input: { ...record, default: {} },
    principal: object({ kind: caller.properties.kind, id: text }, { scopes: { ...list(text), default: [] } }),
    agent: text,
    model: text,
    route: { ...enumOf(...routes), default: "mcp" },
    at: time,
  },
);
export type TriedCall = ValueOf<typeof triedCall, true>;

const PolicyTest = named(
  "PolicyTest",
  object({
    verdict: described("Of all lists together: deny before ask before allow", verdict),
    input: described("Of the call", anything),
    isInputCut: described("The recorded input is not complete, so conditions on arguments may be wrong", {
      type: "boolean",
    }),
    lists: list(
      object({
        source: text,
        verdict,
        rule: described("The rule that decided; null if none matches", orNull(text)),
        reason: described("The reason or question", orNull(text)),
        steps: list(object({ rule: text, name: orNull(text), failed: list(text) })),
      }),
    ),
  }),
);
export type PolicyTest = ValueOf<typeof PolicyTest>;

const DryRun = named(
  "DryRun",
  object({
    calls: described("How many recorded calls were tried, newest first", integer),
    cut: described("Calls whose recorded input is not complete", integer),
    before: object({ allow: integer, deny: integer, ask: integer }),
    after: object({ allow: integer, deny: integer, ask: integer }),
    rules: described("How many calls each rule of the draft decides", list(object({ rule: text, hits: integer }))),
    changed: described("How many calls are decided differently", integer),
    changes: described(
      "The newest of them",
      list(object({ call: CallSummary, before: verdict, after: verdict, rule: orNull(text), reason: orNull(text) })),
    ),
  }),
);
export type DryRun = ValueOf<typeof DryRun>;

/** Every rule, a way to try them, and the rules that live in the store. */
export const policyOperations = {
  "GET /api/policies": {
    scope: "policies",
    summary: "every rule, with its hits and its last decision",
    response: object({ lists: list(PolicyList), published: orNull(PolicyVersion) }),
  },
  "GET /api/policies/versions": {
    scope: "policies",
    summary: "the last 50 published versions, newest first",
    response: object({ versions: list(PolicyVersion) }),
  },
  "POST /api/policies/test": {
    scope: "policies",
    summary:
      "what the rules decide about a recorded call, which needs calls:read, or one that you describe; code is not run",
    body: object({}, { call: described("The id of a recorded call", text), tried: triedCall, draft }),
    response: PolicyTest,
  },
  "POST /api/policies/dry-run": {
    scope: "policies",
    summary: "which of the last thousand calls a draft would decide differently; needs calls:read",
    body: object({ draft }),
    response: DryRun,
  },
  "POST /api/policies/publish": {
    scope: "policies",
    summary: "publish rules to every process on the store",
    body: object(
      { draft, base: described("The version that was edited; 0 if there was none", { type: "integer", minimum: 0 }) },
      { comment: { type: "string", maxLength: 1000 } },
    ),
    response: PolicyVersion,
    errors: { 409: "Another version was published meanwhile" },
  },
} as const satisfies Operations;
