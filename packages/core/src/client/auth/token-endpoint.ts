import * as oauth4webapi from "oauth4webapi";
import type { AuthorizationServer, ClientAuth } from "oauth4webapi";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Fetch } from "./authorizer.ts";
import { importPem } from "./keys.ts";
import type { DpopKey } from "./keys.ts";
import type { OAuthClientOptions } from "./options.ts";
import { secretBasic } from "./secret-basic.ts";
import type { RegisteredClient, Tokens } from "./token-store.ts";
import { cutBetweenWords } from "../../bounds/cut-between-words.ts";

/** The parameters of a token request, with its `grant_type`. */
export type TokenGrant = Readonly<Record<string, string> & { grant_type: string }>;

export interface TokenRequestOptions {
  readonly client: RegisteredClient;
  readonly privateKey?: OAuthClientOptions["privateKey"];
  readonly key?: DpopKey | undefined;
  readonly scope?: string | undefined;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/** Requests tokens from the token endpoint. */
export async function requestTokens(
  issuer: AuthorizationServer,
  grant: TokenGrant,
  options: TokenRequestOptions,
): Promise<Tokens> {
  const tokens = await exchangeToken(issuer, grant, options);
  return {
    accessToken: tokens.access_token,
    type: tokens.token_type === "dpop" ? "DPoP" : "Bearer",
    issuer: issuer.issuer,
    scope: options.scope,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...(tokens.expires_in !== undefined && { expiresAt: options.now() + tokens.expires_in * 1000 }),
  };
}

/** Sends a request to the token endpoint, again if it demands a nonce, and returns the answer. */
export async function exchangeToken(
  issuer: AuthorizationServer,
  { grant_type: type, ...grant }: TokenGrant,
  options: TokenRequestOptions,
): Promise<oauth4webapi.TokenEndpointResponse> {
  const { scope } = options;
  // The authorization page was asked for the scopes of a code.
  const parameters = { ...grant, ...(scope !== undefined && type !== "authorization_code" && { scope }) };
  const client = { client_id: options.client.clientId };
  const authentication = await authenticationOf(issuer, options);
  const settings = {
    ...(options.key && { DPoP: options.key.handle }),
    [oauth4webapi.customFetch]: options.fetch,
    [oauth4webapi.allowInsecureRequests]: true, // `issuerFetch` decides.
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const { genericTokenEndpointRequest, processGenericTokenEndpointResponse } = oauth4webapi;
      const response = await genericTokenEndpointRequest(issuer, client, authentication, type, parameters, settings);
      const recognizedTokenTypes = { n_a: () => undefined }; // an assertion, which is no access token (RFC 8693)
      return await processGenericTokenEndpointResponse(issuer, client, response, { recognizedTokenTypes });
    } catch (error) {
      if (attempt === 1 && options.key && oauth4webapi.isDPoPNonceError(error)) continue;
      throw rejected(`${issuer.issuer} issued no token`, error);
    }
  }
}

/** Adds the authorization server's reason. Other errors, such as a lost connection, stay as they are. */
export function rejected(what: string, error: unknown): unknown {
  const { code, error: name, error_description: text, status } = error as Partial<oauth4webapi.ResponseBodyError>;
  if (!String(code).startsWith("OAUTH_")) return error;
  const why = cutBetweenWords(text ?? name ?? messageOf(error), 500);
  return new BiplaneError("UNAUTHORIZED", `${what}: ${why}`, { details: { error: name, status }, cause: error });
}

/** Client authentication with a method that both sides support. */
async function authenticationOf(
  issuer: AuthorizationServer,
  { client, privateKey }: TokenRequestOptions,
): Promise<ClientAuth> {
  if (privateKey) return oauth4webapi.PrivateKeyJwt(await importPem(privateKey));
  if (client.clientSecret === undefined || client.method === "none") return oauth4webapi.None();
  const supported = issuer.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const basic = "client_secret_basic";
  const method = client.method ?? (supported.includes(basic) ? basic : "client_secret_post");
  return method === "client_secret_post"
    ? oauth4webapi.ClientSecretPost(client.clientSecret)
    : secretBasic(client.clientSecret);
}
