import { randomUUID } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import type { Fetch } from "./authorizer.ts";
import { texts } from "./discovery.ts";
import type { Discovered } from "./discovery.ts";
import type { DpopKey } from "./dpop.ts";
import { fetchJson, reasonIn } from "./fetch-json.ts";
import type { OAuthOptions } from "./options.ts";
import type { RegisteredClient, Tokens } from "./token-store.ts";

export interface TokenRequestOptions {
  readonly client: RegisteredClient;
  readonly oauth: OAuthOptions;
  readonly key: DpopKey | undefined;
  readonly scope: string | undefined;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/** Asks an authorization server for tokens. */
export async function requestTokens(
  found: Discovered,
  grant: Readonly<Record<string, string>>,
  options: TokenRequestOptions,
): Promise<Tokens> {
  const { key, now, fetch } = options;
  for (let attempt = 1; ; attempt++) {
    const init = await tokenRequest(found, grant, options);
    const { ok, status, headers, body } = await fetchJson(found.tokenEndpoint, init, fetch);
    const isNewNonce = key?.learn(found.tokenEndpoint, headers) ?? false;
    const { access_token: accessToken, token_type: type, refresh_token: refreshToken, expires_in: expiresIn } = body;
    if (ok && typeof accessToken === "string") {
      return {
        accessToken,
        type: String(type).toLowerCase() === "dpop" ? "DPoP" : "Bearer",
        issuer: found.issuer,
        scope: options.scope,
        ...(typeof refreshToken === "string" && { refreshToken }),
        ...(typeof expiresIn === "number" && { expiresAt: now() + expiresIn * 1000 }),
      };
    }
    if (body["error"] === "use_dpop_nonce" && isNewNonce && attempt === 1) continue;
    const why = reasonIn(body, status);
    const details = { error: body["error"], status };
    throw new BiplaneError("UNAUTHORIZED", `${found.issuer} gave no token: ${why}`, { details });
  }
}

async function tokenRequest(
  found: Discovered,
  grant: Readonly<Record<string, string>>,
  options: TokenRequestOptions,
): Promise<RequestInit> {
  const { key, scope } = options;
  const body = new URLSearchParams({ ...grant, resource: found.resource });
  if (scope !== undefined && grant["grant_type"] !== "authorization_code") body.set("scope", scope);
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    ...(key && { dpop: await key.proof({ method: "POST", url: found.tokenEndpoint }) }),
  };
  await signIn(found, body, headers, options);
  return { method: "POST", headers, body: body.toString() };
}

/** Says who we are in the way that the authorization server takes and we can. */
async function signIn(
  found: Discovered,
  body: URLSearchParams,
  headers: Record<string, string>,
  { client, oauth }: TokenRequestOptions,
): Promise<void> {
  const { clientId, clientSecret } = client;
  if (oauth.privateKey) {
    body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    body.set("client_assertion", await signAssertion(found.issuer, clientId, oauth.privateKey));
    return;
  }
  if (clientSecret === undefined || client.method === "none") return body.set("client_id", clientId);
  const supported = texts(found.metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  const method =
    client.method ?? (supported.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post");
  if (method === "client_secret_post") {
    body.set("client_id", clientId);
    body.set("client_secret", clientSecret);
    return;
  }
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
}

async function signAssertion(
  issuer: string,
  clientId: string,
  { pem, algorithm = "ES256" }: NonNullable<OAuthOptions["privateKey"]>,
): Promise<string> {
  const { SignJWT, importPKCS8 } = await import("jose");
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importPKCS8(pem, algorithm));
}
