import type { Approval, Grant } from "../../admin/approvals/approval.ts";
import type { AuditCall, AuditGap } from "../../admin/audit/write-line.ts";
import type { Person } from "../../admin/people/person.ts";
import type { PersonalToken } from "../../admin/people/personal-tokens.ts";
import type { SecretName } from "../../admin/secrets/secrets.ts";
import type { ApprovedBefore, OpenedScript, ScriptRun, Settings, ShownConnection, ShownScript } from "../contract.ts";
import { routes } from "../../call/rules/conditions.ts";
import {
  about,
  anything,
  body,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  shape,
  text,
  time,
  whole,
} from "./schema.ts";

const script = {
  name: text,
  description: orNull(text),
  hash: about("The sha256 of the exact bytes; empty where they cannot be read", {
    type: "string",
    pattern: "^([0-9a-f]{64})?$",
  }),
  status: oneOf("approved", "changed", "new", "rejected", "broken"),
  secrets: about("The names of the secrets it can read", list(text)),
  decidedBy: orNull(text),
  decidedAt: orNull(time),
  fault: about("Why it could never run", orNull(text)),
};

const agent = object({ agentId: text, requestId: text }, { model: text });
const token = { id: text, label: text, createdAt: time, expiresAt: time };
const link = { previous: text, hash: text, time, sequence: whole };

/** Who is here, what they decide, and what is on record. */
export const governSchemas = {
  WhoAmI: object({ name: text, scopes: list(text) }, { expiresAt: time }),
  LoggedIn: object({ name: text, scopes: list(text), key: text }, { expiresAt: time }),
  Token: shape<PersonalToken>(token),
  NewToken: object({ ...token, token: about("Shown here and never again", text) }),
  Secret: shape<SecretName>({ name: text, source: oneOf("environment", "store") }, { updatedAt: time }),
  Approval: shape<Omit<Approval, "subject"> & { subject?: unknown }>(
    {
      id: text,
      status: oneOf("waiting", "approved", "used", "rejected", "expired"),
      server: text,
      tool: text,
      question: text,
      input: anything,
      hash: text,
      principal: ref("Caller"),
      agent,
      route: oneOf(...routes),
      batch: about("Calls of one piece of agent code share it", text),
      askedAt: time,
      expiresAt: time,
    },
    {
      subject: about("What the policy named instead of the input", anything),
      session: about("A name for the MCP session, which opens nothing", text),
      episode: text,
      answeredBy: text,
      answeredAt: time,
      reason: text,
      grant: text,
    },
  ),
  ApprovedBefore: shape<ApprovedBefore>({ input: anything, answeredBy: text, answeredAt: time }),
  Answer: {
    anyOf: [
      body({ ids: ids(), verdict: { const: "approve" } }, { hold: ref("Hold") }),
      body({ ids: ids(), verdict: { const: "reject" }, reason: about("Its caller is told", text) }),
    ],
  },
  Hold: {
    anyOf: [
      body({ kind: { const: "once" } }),
      body({ kind: { const: "always" } }, { for: oneOf("caller", "everyone") }),
      body(
        { kind: { const: "pattern" }, pattern: about("As a rule of a policy writes it", { type: "object" }) },
        { for: oneOf("caller", "everyone") },
      ),
    ],
  },
  Grant: shape<Omit<Grant, "pattern" | "subject"> & { pattern?: unknown; subject?: unknown }>(
    { id: text, server: text, tool: text, grantedBy: text, grantedAt: time },
    { hash: text, pattern: anything, subject: anything, principal: ref("Caller") },
  ),
  AuditLine: {
    anyOf: [
      shape<AuditCall & { sequence: number }>(
        {
          kind: { const: "call" },
          ...link,
          requestId: text,
          principal: ref("Caller"),
          agent: object({ agentId: text }, { model: text }),
          tool: text,
          route: oneOf(...routes),
          decision: oneOf("allowed", "approved", "asked", "rejected", "denied", "refused"),
          outcome: ref("Outcome"),
          durationMs: number,
          input: anything,
        },
        { session: text, episode: text, approvedBy: text, message: text, isInputCut: { const: true } },
      ),
      shape<AuditGap & { sequence: number }>({ kind: { const: "lost" }, ...link, count: whole }),
    ],
  },
  ShownScript: shape<ShownScript>(script),
  OpenedScript: shape<OpenedScript>({
    ...script,
    source: text,
    approvedSource: about("What was approved last, where that is another text", orNull(text)),
    history: list(object({ hash: text, verdict: text, by: text, at: time })),
  }),
  ScriptRun: shape<ScriptRun>({
    outcome: ref("Outcome"),
    result: orNull(ref("ShownResult")),
    message: orNull(text),
    durationMs: number,
  }),
  ShownConnection: shape<ShownConnection>({
    id: about("A name for the MCP session, which opens nothing", text),
    server: text,
    client: text,
    version: about("The revision of MCP", text),
    principal: ref("Caller"),
    openedAt: time,
    lastUsedAt: time,
    episode: orNull(text),
  }),
  Person: shape<Person>({ name: text, scopes: list(text), createdAt: time }),
  Settings: shape<Settings>({
    file: orNull(text),
    entries: list(object({ key: text, value: anything, isDefault: flag })),
    people: list(object({ name: text, scopes: list(text) })),
  }),
};

function ids() {
  return { ...list(text), minItems: 1, maxItems: 1000, uniqueItems: true };
}
