import type { Config } from "../../config/config-schema.ts";
import type { StoredTokens } from "../../governance/access/stored-tokens.ts";
import { requireLogin } from "../http/require-login.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { accessTokenOperations } from "./token-api.ts";

export interface TokenRouteParts {
  readonly tokens: StoredTokens;
  /** False if callers need no token. */
  readonly isRequired: boolean;
  readonly configured?: Config["auth"]["tokens"];
}

/** Tokens of agents and trainers. */
export function tokenRoutes({ tokens, isRequired, configured = [] }: TokenRouteParts): ApiRoutes {
  return routesOf(accessTokenOperations, {
    "GET /api/access-tokens": () => ({
      isRequired,
      tokens: [...tokens.list()].reverse(),
      configured: configured.map(({ id, kind, scopes, expiresAt }) => ({
        principal: id,
        kind,
        scopes,
        expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      })),
    }),
    "POST /api/access-tokens": async ({ by, session, body }) => {
      requireLogin(session, "create other tokens");
      const { token, ...info } = await tokens.make(body, by);
      return { token, info };
    },
    "POST /api/access-tokens/:id/rotate": async ({ by, session, parameters: { id }, body }) => {
      requireLogin(session, "rotate other tokens");
      const { token, ...info } = mustExist(await tokens.rotate(id, body, by), gone);
      return { token, info };
    },
    "PUT /api/access-tokens/:id": async ({ by, session, parameters: { id }, body: { scopes } }) => {
      requireLogin(session, "change other tokens");
      return mustExist(await tokens.setScopes(id, scopes, by), gone);
    },
    "DELETE /api/access-tokens/:id": async ({ by, parameters: { id } }) => {
      mustExist(await tokens.revoke(id, by), gone);
    },
  });
}

const gone = "There is no such token. It may have been revoked, or rotated by another person.";
