import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from "oauth4webapi";
import { BiplaneError } from "../../errors.ts";
import { openBrowser, listenForRedirect } from "./redirect-listener.ts";
import { stringList } from "./discovery.ts";
import type { OAuthDiscovery } from "./discovery.ts";
import { checkIssuerUrl } from "./issuer-fetch.ts";
import type { OAuthClientOptions } from "./options.ts";
import { rejected } from "./token-endpoint.ts";
import type { TokenGrant } from "./token-endpoint.ts";
import type { RegisteredClient } from "./token-store.ts";

/** The OAuth authorization code flow with PKCE, from the authorization page to the code. */
export interface AuthorizationCode extends AsyncDisposable {
  readonly redirectUrl: string;
  /** Opens the authorization page and returns the parameters for the token request. */
  grant(found: OAuthDiscovery, client: RegisteredClient, scope: string | undefined): Promise<TokenGrant>;
}

/** Starts listening for the redirect, at the previous address if it is free. */
export async function prepareAuthorization(
  { authorize, redirectUrl: wanted, open = openBrowser, patienceMs = 300_000 }: OAuthClientOptions,
  previousUrl: string | undefined,
): Promise<AuthorizationCode> {
  const listener = authorize ? undefined : await listenForRedirect(wanted ?? previousUrl);
  const redirectUrl = listener?.url ?? wanted ?? "http://127.0.0.1:33418/callback";
  const visit = async (page: URL): Promise<URL> => {
    if (authorize || !listener) return (authorize as NonNullable<typeof authorize>)(page);
    await open(page);
    return listener.wait(patienceMs);
  };
  return {
    redirectUrl,
    async grant(found, client, scope) {
      const page = pageOf(found);
      const verifier = generateRandomCodeVerifier();
      const state = generateRandomState();
      const parameters = {
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: redirectUrl,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        resource: found.resource,
        ...(scope !== undefined && { scope }),
      };
      for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);
      const code = readCode(await visit(page), { state, client, found });
      return { grant_type: "authorization_code", code, redirect_uri: redirectUrl, code_verifier: verifier };
    },
    [Symbol.asyncDispose]: async () => listener?.[Symbol.asyncDispose](),
  };
}

/** The authorization page of a server that supports PKCE. */
function pageOf({ issuer, resource }: OAuthDiscovery): URL {
  const { authorization_endpoint: page = "", code_challenge_methods_supported: methods } = issuer;
  checkIssuerUrl(resource, page);
  if (stringList(methods)?.includes("S256")) return new URL(page);
  throw new BiplaneError("UNAUTHORIZED", `${issuer.issuer} does not support PKCE with S256, which is required.`);
}

/** Checks `iss` and `state` before it trusts anything else in the redirect, including the error. */
function readCode(
  redirect: URL,
  { state, client, found: { issuer } }: { state: string; client: RegisteredClient; found: OAuthDiscovery },
): string {
  try {
    const code = validateAuthResponse(issuer, { client_id: client.clientId }, redirect, state).get("code");
    if (code !== null) return code;
  } catch (error) {
    const isAnswer = error instanceof AuthorizationResponseError;
    const what = isAnswer ? `${issuer.issuer} rejected the authorization` : `The redirect is not from ${issuer.issuer}`;
    throw rejected(what, error);
  }
  throw new BiplaneError("UNAUTHORIZED", `${issuer.issuer} sent no authorization code.`);
}
