import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claims of the person who is signed in at the provider. */
  claims: Record<string, unknown>;
  /** Changes the answer of the token endpoint, as a hostile or broken provider would. */
  tamper: { nonce?: string; audience?: string; isWrongKey?: boolean };
  /** Requests for tokens that were answered. */
  readonly exchanges: number;
}

/** Its key and a wrong one, made once: that takes half a second. */
let keyPairs: Promise<[KeyPair, KeyPair]> | undefined;
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** A small OpenID Connect provider: authorization code with PKCE, one client, and a person who consents at once. */
export async function openOidcProvider(claims: Record<string, unknown>): Promise<OidcProvider> {
  const [keys, others] = await (keyPairs ??= Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]));
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const codes = new Map<string, URLSearchParams>();
  let exchanges = 0;
  const clientId = "biplane-test";
  const clientSecret = randomBytes(16).toString("hex");

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const isRight =
      query.get("client_id") === clientId &&
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256" &&
      (query.get("scope") ?? "").split(" ").includes("openid");
    if (!isRight) return void response.writeHead(400).end("wrong request");
    const code = randomBytes(16).toString("hex");
    codes.set(code, query);
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  };

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const body = new URLSearchParams(await textOf(request));
    const asked = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      asked !== undefined &&
      challenge === asked.get("code_challenge") &&
      body.get("redirect_uri") === asked.get("redirect_uri") &&
      body.get("client_id") === clientId &&
      body.get("client_secret") === clientSecret;
    if (!isRight) return json(response, { error: "invalid_grant" }, 400);
    exchanges++;
    const { nonce, audience, isWrongKey } = provider.tamper;
    const id = await new SignJWT({ ...provider.claims, nonce: nonce ?? asked.get("nonce") })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(provider.issuer)
      .setAudience(audience ?? clientId)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(isWrongKey ? others.privateKey : keys.privateKey);
    json(response, { access_token: "unused", token_type: "Bearer", id_token: id, expires_in: 300 });
  };

  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (pathname === "/.well-known/openid-configuration")
      return json(response, {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/keys`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    if (pathname === "/keys") return json(response, { keys: [jwk] });
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/token") return void token(request, response);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const provider: OidcProvider = {
    issuer: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    clientId,
    clientSecret,
    claims,
    tamper: {},
    get exchanges() {
      return exchanges;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
  return provider;
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
