import type { ValueOf } from "@biplane/core/internal";
import { anyOf, boolean, described, list, named, object, text, time } from "../../schema/builders.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const CurrentPerson = named("CurrentPerson", object({ name: text, scopes: list(text) }, { expiresAt: time }));
export type CurrentPerson = ValueOf<typeof CurrentPerson>;

const LoggedIn = named("LoggedIn", object({ name: text, scopes: list(text), key: text }, { expiresAt: time }));
export type LoggedIn = ValueOf<typeof LoggedIn>;

const token = { id: text, label: text, createdAt: time, expiresAt: time };
const slowly = { 429: "Too many failed attempts; see Retry-After" };

/** Setup, login, logout and personal tokens. */
export const sessionOperations = {
  "GET /api/setup": {
    scope: "anyone",
    summary: "whether the administrator must be created",
    response: object({ needed: boolean }),
  },
  "POST /api/setup": {
    scope: "anyone",
    summary: "create the administrator with the setup code from the terminal",
    body: object({ code: text, name: text, passphrase: text }),
    response: LoggedIn,
    errors: slowly,
  },
  "POST /api/session": {
    scope: "anyone",
    summary: "log in; returns a cookie, and a key to send as `X-Biplane`",
    body: anyOf(
      object({ name: text, passphrase: text }),
      object({ key: described("Key of a sign-in link, instead of name and passphrase", text) }),
    ),
    response: LoggedIn,
    errors: { 401: "The name or the passphrase is wrong, or the key was used", ...slowly },
  },
  "GET /api/session": { scope: "person", summary: "the logged-in person", response: CurrentPerson },
  "DELETE /api/session": { scope: "person", summary: "log out" },
  "DELETE /api/sessions": { scope: "person", summary: "end all own sessions" },
  "PUT /api/passphrase": {
    scope: "person",
    summary: "change the own passphrase and end all other sessions",
    body: object({ current: text, passphrase: text }),
    response: LoggedIn,
    errors: slowly,
  },
  "GET /api/tokens": {
    scope: "person",
    summary: "own tokens",
    query: pageQuery,
    response: pageOf("tokens", named("Token", object(token))),
  },
  "POST /api/tokens": {
    scope: "person",
    summary: "create a token for a program that acts for you; needs a login session",
    body: object(
      {},
      {
        label: { type: "string", default: "" },
        days: { type: "number", exclusiveMinimum: 0, maximum: 3660, default: 90 },
      },
    ),
    response: named("NewToken", object({ ...token, token: described("Returned only here", text) })),
    status: 201,
  },
  "DELETE /api/tokens/:id": { scope: "person", summary: "revoke a token" },
} as const satisfies Operations;
