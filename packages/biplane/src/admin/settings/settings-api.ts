import type { ValueOf } from "@biplane/core/internal";
import { anything, boolean, list, named, object, orNull, text, time } from "../../schema/builders.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { scopes } from "../openapi/scopes.ts";

const SettingsBody = named(
  "SettingsBody",
  object({
    file: orNull(text),
    entries: list(object({ key: text, value: anything, isDefault: boolean })),
    people: list(object({ name: text, scopes: list(text) })),
  }),
);
export type SettingsBody = ValueOf<typeof SettingsBody>;

const person = named("Person", object({ name: text, scopes: list(text), createdAt: time }));

export const settingsOperations = {
  "GET /api/settings": { scope: "settings", summary: "effective settings, without secrets", response: SettingsBody },
} as const satisfies Operations;

export const peopleOperations = {
  "GET /api/people": {
    scope: "people",
    summary: "people who can log in",
    query: pageQuery,
    response: pageOf("people", person),
  },
  "POST /api/people": {
    scope: "people",
    summary: "add a person, with no more scopes than your own",
    body: object({
      name: text,
      passphrase: text,
      scopes: { ...list({ type: "string", enum: ["*", ...Object.keys(scopes)] }), uniqueItems: true },
    }),
    response: person,
    status: 201,
    errors: { 503: "Too many logins at once" },
  },
  "DELETE /api/people/:name": {
    scope: "people",
    summary: "remove a person; their sessions and tokens end at once",
  },
} as const satisfies Operations;
