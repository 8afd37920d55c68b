import type { StoredToken } from "../../governance/access/stored-tokens.ts";
import { boolean, described, enumOf, list, named, object, orNull, shape, text, time } from "../../schema/builders.ts";
import type { Operations } from "../http/operation.ts";

const AccessToken = named(
  "AccessToken",
  shape<StoredToken>({
    id: text,
    principal: described("The principal id of calls with this token", text),
    kind: enumOf("token", "trainer"),
    scopes: list(text),
    createdBy: text,
    createdAt: time,
    rotatedAt: orNull(time),
    previousUntil: described("Until when the token before the last rotation is accepted", orNull(time)),
    expiresAt: orNull(time),
    lastUsedAt: orNull(time),
  }),
);

const configured = named(
  "ConfiguredToken",
  object({ principal: text, kind: enumOf("token", "trainer"), scopes: list(text), expiresAt: orNull(time) }),
);

const scopes = {
  ...list({ type: "string", minLength: 1, maxLength: 100, pattern: String.raw`^[!-~]+$` }),
  maxItems: 50,
  uniqueItems: true,
} as const;

const secret = { token: described("Returned only here", text) };

/** Tokens of agents and trainers. */
export const accessTokenOperations = {
  "GET /api/access-tokens": {
    scope: "tokens",
    summary: "tokens of agents and trainers, from the store and from the config",
    response: object({
      isRequired: described("False if callers need no token", boolean),
      tokens: list(AccessToken),
      configured: described("In `auth.tokens` of the config; change them there", list(configured)),
    }),
  },
  "POST /api/access-tokens": {
    scope: "tokens",
    summary: "create a token for an agent or a trainer; needs a session, not a token",
    body: object(
      { principal: { type: "string", minLength: 1, maxLength: 128 } },
      {
        kind: { ...enumOf("token", "trainer"), default: "token" },
        scopes: { ...scopes, default: [] },
        days: described("Default: it does not expire", { type: "number", exclusiveMinimum: 0, maximum: 3660 }),
      },
    ),
    response: named("NewAccessToken", object({ ...secret, info: AccessToken })),
    status: 201,
  },
  "POST /api/access-tokens/:id/rotate": {
    scope: "tokens",
    summary: "replace the secret of a token; the one before is accepted for some hours; needs a session, not a token",
    body: object({}, { graceHours: { type: "number", minimum: 0, maximum: 720, default: 24 } }),
    response: named("RotatedAccessToken", object({ ...secret, info: AccessToken })),
  },
  "PUT /api/access-tokens/:id": {
    scope: "tokens",
    summary: "change the scopes of a token",
    body: object({ scopes }),
    response: AccessToken,
  },
  "DELETE /api/access-tokens/:id": { scope: "tokens", summary: "revoke a token" },
} as const satisfies Operations;
