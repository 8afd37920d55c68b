import type { ValueOf } from "@biplane/core/internal";
import { roleNames } from "../../governance/people/roles.ts";
import { anyOf, boolean, described, enumOf, list, named, object, orNull, text, time } from "../../schema/builders.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const currentPerson = { name: text, role: orNull(enumOf(...roleNames)), scopes: list(text), isProvided: boolean };
const CurrentPerson = named("CurrentPerson", object(currentPerson, { expiresAt: time }));
export type CurrentPerson = ValueOf<typeof CurrentPerson>;

const LoggedIn = named("SignInResult", object({ ...currentPerson, key: text }, { expiresAt: time }));

const token = { id: text, label: text, createdAt: time, expiresAt: time };
const oidcAttempt = { state: text, verifier: text, nonce: text };
const slowly = { 429: "Too many failed attempts; see Retry-After" };

/** Setup, sign-in, sign-out and personal tokens. */
export const sessionOperations = {
  "GET /api/setup": {
    scope: "anyone",
    summary: "whether the administrator must be created",
    response: object({
      needed: boolean,
      provider: described("Name of the OpenID provider that signs people in, if there is one", orNull(text)),
    }),
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
    summary: "sign in; returns a cookie, and a key to send as `X-Biplane`",
    body: anyOf(
      object({ name: text, passphrase: text }),
      object({ key: described("Key of a sign-in link, instead of name and passphrase", text) }),
    ),
    response: LoggedIn,
    errors: { 401: "The name or the passphrase is wrong, or the key was used", ...slowly },
  },
  "POST /api/session/oidc": {
    scope: "anyone",
    summary: "start signing in with the OpenID provider; keep the response until the browser returns",
    response: object({ url: described("The address to open", text), ...oidcAttempt }),
    errors: { 503: "The provider cannot be reached" },
  },
  "PUT /api/session/oidc": {
    scope: "anyone",
    summary: "finish signing in with the OpenID provider, with the query that the browser returned with",
    body: object({ search: described("The query of the address that the browser returned to", text), ...oidcAttempt }),
    response: LoggedIn,
    errors: { 401: "The provider did not sign the person in", 403: "The person has no role", 503: "No provider" },
  },
  "POST /api/invitations/read": {
    scope: "anyone",
    summary: "who made an invitation, and what its account may do",
    body: object({ key: text }),
    response: object({
      server: described("The name of the installation", text),
      invitedBy: text,
      note: described("Whom it is for, as its maker wrote", orNull(text)),
      role: orNull(enumOf(...roleNames)),
      scopes: list(text),
      expiresAt: time,
    }),
    errors: { 401: "The invitation was used, has expired or was revoked", ...slowly },
  },
  "POST /api/invitations/accept": {
    scope: "anyone",
    summary: "create the account of an invitation; returns a cookie, and a key to send as `X-Biplane`",
    body: object({ key: text, name: text, passphrase: text }),
    response: LoggedIn,
    errors: { 401: "The invitation was used, has expired or was revoked", ...slowly },
  },
  "GET /api/session": { scope: "person", summary: "the signed-in person", response: CurrentPerson },
  "DELETE /api/session": { scope: "person", summary: "sign out" },
  "DELETE /api/sessions": { scope: "person", summary: "end all your sessions" },
  "PUT /api/passphrase": {
    scope: "person",
    summary: "change your passphrase and end all other sessions",
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
    summary: "create a token for a program that acts for you; needs a session, not a token",
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
