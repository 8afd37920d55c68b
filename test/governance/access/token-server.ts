import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  EmbeddedJWK,
  SignJWT,
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  jwtVerify,
} from "jose";
import type { JWK, JWTPayload } from "jose";

const grants = {
  jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer",
  exchange: "urn:ietf:params:oauth:grant-type:token-exchange",
};
const idJagType = "urn:ietf:params:oauth:token-type:id-jag";

/**
 * A real authorization server: it authenticates clients, verifies assertions of a company's identity provider and of a
 * platform, binds tokens to keys, and answers about opaque ones. With `/idp` it is that identity provider too.
 */
export async function openTokenServer(): Promise<TokenServer> {
  const sign = await signer("server");
  const idp = await signer("idp");
  const platform = await signer("platform");
  const client = await signer("client");
  const opaque = new Map<string, object>();
  const used = new Set<string>();
  const asked: Asked[] = [];
  let isBroken = false;
  const http = createServer((request, response) => {
    void text(request).then(async (body) => {
      const answer = await handle(new URL(request.url ?? "/", origin).pathname, body, request.headers).catch(
        (error: unknown) => ({ status: 400, body: { error: "invalid_grant", error_description: String(error) } }),
      );
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  async function handle(path: string, body: string, headers: IncomingHttpHeaders) {
    const form = new URLSearchParams(body);
    switch (path) {
      case "/.well-known/oauth-authorization-server":
        return { status: 200, body: metadata() };
      case "/keys":
        return { status: 200, body: { keys: [sign.jwk] } };
      case "/introspect":
        asked.push({ path, form });
        if (isBroken) return { status: 500, body: {} };
        if (!isClient(headers, "resource-server")) return { status: 401, body: { error: "invalid_client" } };
        return { status: 200, body: opaque.get(form.get("token") ?? "") ?? { active: false } };
      case "/idp/token":
        asked.push({ path, form });
        return { status: 200, body: await identityAssertion(form, headers) };
      case "/token":
        asked.push({ path, form });
        return { status: 200, body: await issue(form, headers) };
      default:
        return { status: 404, body: {} };
    }
  }

  function metadata() {
    return {
      issuer: origin,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      introspection_endpoint: `${origin}/introspect`,
      grant_types_supported: ["client_credentials", grants.jwtBearer],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt"],
      dpop_signing_alg_values_supported: ["ES256"],
    };
  }

  /** The identity provider: an ID token for an assertion that is valid at one authorization server. */
  async function identityAssertion(form: URLSearchParams, headers: IncomingHttpHeaders) {
    if (!isClient(headers, "company-app")) throw new Error("unknown client");
    if (form.get("requested_token_type") !== idJagType) throw new Error("another type");
    const { payload } = await jwtVerify(form.get("subject_token") ?? "", createLocalJWKSet({ keys: [idp.jwk] }));
    const claims = {
      jti: crypto.randomUUID(),
      iss: `${origin}/idp`,
      sub: payload.sub,
      aud: form.get("audience"),
      resource: form.get("resource"),
      client_id: "program",
    };
    const token = await idp.sign(claims as JWTPayload, "oauth-id-jag+jwt");
    return { access_token: token, issued_token_type: idJagType, token_type: "N_A", expires_in: 60 };
  }

  async function issue(form: URLSearchParams, headers: IncomingHttpHeaders) {
    const claims = await claimsOf(form, headers);
    const resource = form.get("resource") ?? (claims["resource"] as string);
    const cnf = headers["dpop"] === undefined ? {} : { cnf: { jkt: await thumbprintIn(String(headers["dpop"])) } };
    const scope = form.get("scope") ?? "";
    const token = await sign.sign({ ...claims, ...cnf, iss: origin, aud: resource, scope }, "at+jwt");
    return { access_token: token, token_type: "cnf" in cnf ? "DPoP" : "Bearer", expires_in: 60 };
  }

  async function claimsOf(form: URLSearchParams, headers: IncomingHttpHeaders): Promise<JWTPayload> {
    const grant = form.get("grant_type");
    if (grant === "client_credentials") {
      const assertion = form.get("client_assertion");
      if (assertion === null && isClient(headers, "program")) return { sub: "program", client_id: "program" };
      const keys = createLocalJWKSet({ keys: [client.jwk] });
      await jwtVerify(assertion ?? "", keys, { issuer: "program", subject: "program" });
      return { sub: "program", client_id: "program" };
    }
    if (grant !== grants.jwtBearer) throw new Error(`no grant ${grant}`);
    const keys = createLocalJWKSet({ keys: [idp.jwk, platform.jwk] });
    const { payload, protectedHeader } = await jwtVerify(form.get("assertion") ?? "", keys);
    if (used.has(String(payload.jti))) throw new Error("this assertion was used before");
    used.add(String(payload.jti));
    if (protectedHeader.typ !== "oauth-id-jag+jwt") return { sub: payload.sub ?? "", client_id: payload.sub };
    if (payload.aud !== origin || !isClient(headers, "program")) throw new Error("for another server or client");
    return { sub: payload.sub ?? "", client_id: payload["client_id"], resource: payload["resource"] };
  }

  return {
    issuer: origin,
    asked,
    clientKey: await exportPKCS8(client.privateKey),
    idToken: (subject) => idp.sign({ sub: subject, iss: `${origin}/idp` }, "JWT"),
    platformToken: (subject) => platform.sign({ sub: subject, jti: crypto.randomUUID() }, "JWT"),
    token: (claims, type = "at+jwt") => sign.sign({ iss: origin, ...claims }, type),
    keep: (token, answer) => void opaque.set(token, answer),
    breakDown: () => void (isBroken = true),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Every client's secret is its id and `-secret`. */
function isClient({ authorization }: IncomingHttpHeaders, id: string): boolean {
  return authorization === `Basic ${Buffer.from(`${id}:${id}-secret`).toString("base64")}`;
}

async function thumbprintIn(proof: string): Promise<string> {
  const { protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: "dpop+jwt" });
  return calculateJwkThumbprint(protectedHeader.jwk as JWK);
}

async function signer(id: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: id, alg: "ES256" };
  const sign = (claims: JWTPayload, typ: string) =>
    new SignJWT({ exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: id, typ })
      .setIssuedAt()
      .sign(privateKey);
  return { privateKey, jwk, sign };
}

interface Asked {
  readonly path: string;
  readonly form: URLSearchParams;
}

export interface TokenServer extends AsyncDisposable {
  readonly issuer: string;
  readonly asked: readonly Asked[];
  /** The private key of the client `program`, in PEM. */
  readonly clientKey: string;
  idToken(subject: string): Promise<string>;
  platformToken(subject: string): Promise<string>;
  /** A signed token with these claims. */
  token(claims: JWTPayload, type?: string): Promise<string>;
  /** What to answer about an opaque token. */
  keep(token: string, answer: object): void;
  /** From now on it cannot answer about opaque tokens. */
  breakDown(): void;
}
