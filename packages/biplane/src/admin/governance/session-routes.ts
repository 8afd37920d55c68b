import { BiplaneError } from "@biplane/core";
import type { OidcSignIn } from "../../governance/people/oidc.ts";
import type { People, SignedIn } from "../../governance/people/people.ts";
import { sessionCookie } from "../http/cookie.ts";
import { paginate } from "../http/input.ts";
import { requireLogin } from "../http/require-login.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRequest, ApiRoutes } from "../http/routes.ts";
import { sessionOperations } from "./session-api.ts";
import type { CurrentPerson } from "./session-api.ts";

export interface SessionRouteParts {
  /** The installation's name. */
  readonly name: string;
  readonly provider: OidcSignIn | undefined;
}

/** Setup, sign-in, sign-out and personal tokens. */
export function sessionRoutes(people: People, { name: server, provider }: SessionRouteParts): ApiRoutes {
  const loggedIn = async (call: CookieCall, { id, key, principal, expiresAt, lastsMs }: SignedIn) => {
    call.responseHeaders["set-cookie"] = sessionCookie(call.request.origin).set(id, lastsMs);
    return { ...(await personBody(people, principal.id, expiresAt)), key };
  };
  return routesOf(sessionOperations, {
    "GET /api/setup": async () => ({ needed: await people.needsSetup(), provider: provider?.label ?? null }),
    "POST /api/setup": async (call) => loggedIn(call, await people.setUp(call.body, call.request.address)),
    "POST /api/session/oidc": ({ request }) => required(provider).start(redirectUri(request.origin)),
    "PUT /api/session/oidc": async (call) => {
      const { search, ...attempt } = call.body;
      const { origin, address } = call.request;
      const signsIn = required(provider);
      const finish = () => signsIn.finish(search, { ...attempt, redirectUri: redirectUri(origin) });
      return loggedIn(call, await people.finishProvided(finish, address));
    },
    "POST /api/invitations/read": async ({ body, request }) => {
      const { invitedBy, note, role, scopes, expiresAt } = await people.findInvitation(body.key, request.address);
      return { server, invitedBy, note, role, scopes, expiresAt };
    },
    "POST /api/invitations/accept": async (call) =>
      loggedIn(call, await people.acceptInvitation(call.body, call.request.address)),
    "POST /api/session": async (call) => {
      const { body, request } = call;
      const { address, origin, headers } = request;
      const signedIn = await ("key" in body ? people.signInByKey(body.key, address) : people.signIn(body, address));
      const before = sessionCookie(origin).read(headers["cookie"]);
      if (before !== undefined) await people.signOut(before);
      return loggedIn(call, signedIn);
    },
    "GET /api/session": async ({ by, session, request: { headers } }) => {
      const keys = session === undefined ? undefined : { id: session, key: String(headers["x-biplane"]) };
      const known = keys && (await people.bySession(keys));
      return personBody(people, by.id, known?.expiresAt);
    },
    "PUT /api/passphrase": async (call) => {
      const { by, body, request } = call;
      const next = { name: by.id, passphrase: body.passphrase };
      await people.signIn({ name: by.id, passphrase: body.current }, request.address);
      await people.setPassphrase(next, by);
      return loggedIn(call, await people.signIn(next, request.address));
    },
    "DELETE /api/session": async (call) => {
      if (call.session !== undefined) await people.signOut(call.session);
      clearCookie(call);
    },
    "DELETE /api/sessions": async (call) => {
      await people.signOutEverywhere(call.by.id);
      clearCookie(call);
    },
    "GET /api/tokens": async ({ by, query }) => {
      const { page, next } = paginate(await people.tokens(by.id), ({ id }) => id, query);
      return { tokens: page, next };
    },
    "POST /api/tokens": async ({ by, session, body }) => {
      requireLogin(session, "create other tokens");
      return people.newToken(by.id, body);
    },
    "DELETE /api/tokens/:id": async ({ by, parameters: { id } }) => {
      mustExist(await people.revokeToken(by.id, id), "You have no such token.");
    },
  });
}

type CookieCall = Pick<ApiRequest<string, unknown>, "request" | "responseHeaders">;

/** The page itself, which then completes the sign-in. Register this address with the provider. */
function redirectUri(origin: string): string {
  return `${origin}/`;
}

function required(provider: OidcSignIn | undefined): OidcSignIn {
  if (provider) return provider;
  throw new BiplaneError("NOT_FOUND", "No OpenID provider is configured. Set signIn.oidc in biplane.yaml.");
}

function clearCookie({ request, responseHeaders }: CookieCall): void {
  responseHeaders["set-cookie"] = sessionCookie(request.origin).clear();
}

async function personBody(people: People, id: string, expiresAt: number | undefined): Promise<CurrentPerson> {
  const person = await people.find(id);
  if (!person) throw new BiplaneError("UNAUTHORIZED", "The account no longer exists.");
  const { name, role, scopes, provider } = person;
  const expiry = expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() };
  return { name, role, scopes, isProvided: provider !== null, ...expiry };
}
