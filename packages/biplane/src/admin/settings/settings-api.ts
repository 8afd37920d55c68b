import type { ValueOf } from "@biplane/core/internal";
import {
  anyOf,
  anything,
  boolean,
  described,
  enumOf,
  integer,
  list,
  named,
  object,
  orNull,
  text,
  time,
} from "../../schema/builders.ts";
import { roleNames } from "../../governance/people/roles.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { scopes } from "../openapi/scopes.ts";

const origin = described(
  "Where the value was set",
  object(
    { kind: enumOf("file", "flag", "environment", "store", "default") },
    {
      name: described("Of the flag or the variable, or what in the store", text),
      line: integer,
      references: described(
        "Where the references in a value of the file came from",
        list(object({ name: text, from: enumOf("environment", "store", "default") })),
      ),
    },
  ),
);

const SettingsBody = named(
  "SettingsBody",
  object({
    file: orNull(text),
    entries: list(
      object(
        { key: text, value: described("The value in force", anything), isDefault: boolean, origin },
        {
          written: described("What was set, if the value in force differs", anything),
          about: described("What the setting does, as the config's schema says", text),
        },
      ),
    ),
    people: list(object({ name: text, scopes: list(text) })),
  }),
);
export type SettingsBody = ValueOf<typeof SettingsBody>;

const role = enumOf(...roleNames);

const person = named(
  "Person",
  object({
    name: text,
    role: described("Null for a person with scopes of their own", orNull(role)),
    scopes: list(text),
    createdAt: time,
    provider: described("The OpenID provider that signs this person in; null with a passphrase", orNull(text)),
  }),
);

const scopeNames = ["*", ...Object.keys(scopes).flatMap((scope) => [scope, `${scope}:read`])];
const grantable = { ...list({ type: "string", enum: scopeNames }), uniqueItems: true } as const;
const access = named("Access", anyOf(object({ role }), object({ scopes: grantable })));

const invitation = {
  id: text,
  role: orNull(role),
  scopes: list(text),
  invitedBy: text,
  note: described("Whom it is for", orNull(text)),
  createdAt: time,
  expiresAt: time,
};

export const settingsOperations = {
  "GET /api/settings": { scope: "settings", summary: "effective settings, without secrets", response: SettingsBody },
} as const satisfies Operations;

export const peopleOperations = {
  "GET /api/people": {
    scope: "people",
    summary: "people who can sign in",
    query: pageQuery,
    response: pageOf("people", person),
  },
  "POST /api/people": {
    scope: "people",
    summary: "add a person, with no more scopes than your own",
    body: object(
      { name: text, passphrase: text },
      {
        role,
        scopes: grantable,
        email: described("Accounts with the same e-mail address count as one person in approvals", text),
      },
    ),
    response: person,
    status: 201,
    errors: { 503: "Too many sign-ins at once" },
  },
  "PUT /api/people/:name": {
    scope: "people",
    summary: "change a person's role or scopes; applies at once, also to open sessions",
    body: access,
    response: person,
  },
  "GET /api/invitations": {
    scope: "people",
    summary: "invitations that can still be used",
    response: object({ invitations: list(named("Invitation", object(invitation))) }),
  },
  "POST /api/invitations": {
    scope: "people",
    summary: "create a link with which one person can create an account, with no more scopes than your own",
    body: object(
      {},
      {
        role,
        scopes: grantable,
        days: { type: "number", exclusiveMinimum: 0, maximum: 90, default: 7 },
        note: described("Whom it is for, to tell invitations apart", { type: "string", maxLength: 100 }),
      },
    ),
    response: named(
      "NewInvitation",
      object({ ...invitation, key: described("Returned only here; the link is `/#/invite/<key>`", text) }),
    ),
    status: 201,
  },
  "DELETE /api/invitations/:id": { scope: "people", summary: "revoke an invitation" },
  "DELETE /api/people/:name": {
    scope: "people",
    summary: "remove a person; their sessions and tokens end at once",
  },
} as const satisfies Operations;
