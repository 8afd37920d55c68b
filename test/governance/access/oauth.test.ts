import { createPublicKey } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Principal, Server } from "biplane";
import { bearerTokens } from "../../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { firstOf } from "../../../packages/biplane/src/governance/access/first-of.ts";
import { oauthResource } from "../../../packages/biplane/src/governance/access/oauth-resource.ts";
import type { OAuthResourceOptions } from "../../../packages/biplane/src/governance/access/oauth-resource.ts";
import { scopePolicy } from "../../../packages/biplane/src/governance/access/scope-policy.ts";
import { audience, openIssuer } from "./issuer.ts";
import type { LocalIssuer } from "./issuer.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

test("a token of the issuer, for us, says who the caller is and what it may", async () => {
  const { issuer, ask, seen } = await gateway();
  expect((await ask(await issuer.token())).status).toBe(200);
  expect(seen).toMatchObject([{ kind: "token", id: "ada", scopes: ["crm:read"] }]);
  await ask(await issuer.token({ sub: "robot", scope: undefined, scp: ["a", 7, "b"] }));
  expect(seen.at(-1)).toMatchObject({ kind: "token", id: "robot", scopes: ["a", "b"] });
  await ask(await issuer.token({ sub: undefined as unknown as string, client_id: "job", scope: " x  y " }));
  expect(seen.at(-1)).toMatchObject({ kind: "token", id: "job", scopes: ["x", "y"] });
});

describe("a token is refused", () => {
  const soon = () => Math.floor(Date.now() / 1000);
  const attacks: Record<string, (issuer: LocalIssuer) => Promise<string> | string> = {
    "that is for somebody else": (issuer) => issuer.token({ aud: "https://other.example/mcp" }),
    "that is for nobody": (issuer) => issuer.token({ aud: undefined as unknown as string }),
    "that another issuer made": (issuer) => issuer.token({ iss: "https://evil.example" }),
    "that has expired": (issuer) => issuer.token({ exp: soon() - 120 }),
    "that never expires": (issuer) => issuer.token({ exp: undefined as unknown as number }),
    "whose time has not come": (issuer) => issuer.token({ nbf: soon() + 120 }),
    "that names nobody": (issuer) => issuer.token({ sub: undefined as unknown as string }),
    "that is not signed at all": (issuer) =>
      new UnsecuredJWT({ iss: issuer.issuer, aud: audience, sub: "ada", exp: soon() + 60 }).encode(),
    "whose header says none": async (issuer) => {
      const [, payload] = (await issuer.token()).split(".");
      return `${encoded({ alg: "none" })}.${payload}.`;
    },
    "that is signed with the public key as if it were a shared secret": async (issuer) => {
      const key = createPublicKey({ key: issuer.publicKey() as JsonWebKey, format: "jwk" });
      const spki = key.export({ type: "spki", format: "pem" });
      return new SignJWT({ iss: issuer.issuer, aud: audience, sub: "ada" })
        .setProtectedHeader({ alg: "HS256", kid: "first" })
        .setExpirationTime("1m")
        .sign(Buffer.from(spki));
    },
    "that is signed with a shared secret under a key's name": (issuer) =>
      new SignJWT({ iss: issuer.issuer, aud: audience, sub: "ada" })
        .setProtectedHeader({ alg: "HS256", kid: "first" })
        .setExpirationTime("1m")
        .sign(Buffer.from(JSON.stringify(issuer.publicKey()))),
    "whose payload was changed": async (issuer) => {
      const [header, payload = "", signature] = (await issuer.token()).split(".");
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
      return `${header}.${encoded({ ...claims, sub: "root" })}.${signature}`;
    },
    "that brings its own key along": async (issuer) => {
      await using other = await openIssuer();
      return other.token({ iss: issuer.issuer }, { jwk: other.publicKey(), kid: "first" });
    },
    "that says where its key is": async (issuer) => {
      await using other = await openIssuer();
      return other.token({ iss: issuer.issuer }, { jku: `${other.issuer}/keys`, kid: "first" });
    },
    "whose key is called like a file": async (issuer) => issuer.token({}, { kid: "../../../../dev/null" }),
    "whose key is called like a query": async (issuer) => issuer.token({}, { kid: "' or 1=1 --" }),
    "with a header that must be understood and is not": (issuer) => issuer.token({}, { crit: ["x-must"], "x-must": 1 }),
    "that is no token": () => "a.b.c",
  };
  test.each(Object.keys(attacks))("%s", async (name) => {
    const { issuer, ask, seen, faults } = await gateway();
    const answer = await ask(await (attacks[name] as (issuer: LocalIssuer) => Promise<string>)(issuer));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
    expect(seen).toEqual([]);
    expect(faults).toEqual([]);
  });
});

test("a signature of the issuer's counts only if it is made in one of the ways that do", async () => {
  const { issuer, ask } = await gateway({ algorithms: ["RS256"], keyCooldownMs: 0 });
  expect((await ask(await issuer.token())).status).toBe(401);
  await issuer.rotate("second", "RS256");
  expect((await ask(await issuer.token())).status).toBe(200);
});

test("after the issuer changed its keys, new tokens are good and those of the old key are not", async () => {
  const { issuer, ask } = await gateway({ keyCooldownMs: 0, rememberMs: 0 });
  const old = await issuer.token();
  expect((await ask(old)).status).toBe(200);
  await issuer.rotate("second", "RS256");
  expect((await ask(await issuer.token())).status).toBe(200);
  expect((await ask(old)).status).toBe(401);
});

test("keys are looked for once, and unknown ones do not make us ask the issuer again and again", async () => {
  const { issuer, ask } = await gateway();
  await ask(await issuer.token());
  for (let at = 0; at < 5; at++) await ask(await issuer.token({}, { kid: `unknown ${at}` }));
  expect(issuer.asked).toEqual(["/.well-known/oauth-authorization-server", "/keys"]);
});

test("an issuer that is down is a 503, asked again only after a while, and then all is well", async () => {
  let clock = Date.now();
  const { issuer, ask, faults } = await gateway({ now: () => clock });
  issuer.breakDown(true);
  const down = await ask(await issuer.token());
  expect(down.status).toBe(503);
  expect(down.headers.get("retry-after")).toBe("5");
  const asked = issuer.asked.length;
  expect((await ask(await issuer.token())).status).toBe(503);
  expect(issuer.asked).toHaveLength(asked);
  expect(faults).toHaveLength(1);
  issuer.breakDown(false);
  clock += 6000;
  expect((await ask(await issuer.token())).status).toBe(200);
});

test("a token that was found good is remembered, but not beyond its end", async () => {
  let clock = Date.now();
  const { issuer, ask } = await gateway({ now: () => clock, clockToleranceSeconds: 0 });
  const token = await issuer.token({ exp: Math.floor(clock / 1000) + 60 });
  expect((await ask(token)).status).toBe(200);
  issuer.breakDown(true);
  expect((await ask(token)).status).toBe(200);
  clock += 61_000;
  expect((await ask(token)).status).toBe(401);
});

test("metadata that speak of another issuer are not believed", async () => {
  const issuer = await openIssuer({ speaksOf: "https://evil.example" });
  opened.push(issuer);
  const { ask } = await gateway({ issuer: issuer.issuer });
  expect((await ask(await issuer.token())).status).toBe(503);
});

test("an issuer with a path has its metadata where RFC 8414 puts them", async () => {
  const issuer = await openIssuer({ path: "/tenant" });
  opened.push(issuer);
  const { ask } = await gateway({ issuer: issuer.issuer });
  expect((await ask(await issuer.token())).status).toBe(200);
});

test("a client without a token learns where to get one, and for which resource", async () => {
  const { issuer, url, ask } = await gateway({ requiredScopes: ["crm:read"], scopes: ["crm:write"] });
  const refused = await ask(undefined);
  expect(refused.status).toBe(401);
  const header = refused.headers.get("www-authenticate") ?? "";
  expect(header).toBe(
    'Bearer scope="crm:read", resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"',
  );
  for (const path of ["", "/mcp"]) {
    const response = await fetch(`${url}/.well-known/oauth-protected-resource${path}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      resource: audience,
      authorization_servers: [issuer.issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: ["crm:read", "crm:write"],
      dpop_signing_alg_values_supported: ["ES256", "EdDSA", "Ed25519", "PS256", "RS256"],
      dpop_bound_access_tokens_required: false,
    });
  }
  expect((await fetch(`${url}/.well-known/oauth-protected-resource/other`)).status).toBe(404);
});

test("an official client finds its way from the first refusal to the authorization server", async () => {
  const issuer = await openIssuer();
  const subject = server({ name: "s", version: "1" });
  opened.push(issuer, subject);
  // Tokens are for an address, so the port has to be known beforehand.
  const first = await subject.serve("http://127.0.0.1:0");
  await first.close();
  const resource = `${first.url}/mcp`;
  const authenticate = oauthResource({ issuer: issuer.issuer, audience: resource, requiredScopes: ["crm:read"] });
  await subject.serve({ url: first.url, authenticate });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await fetch(resource, { method: "POST" }));
  expect(scope).toBe("crm:read");
  const told = await discoverOAuthProtectedResourceMetadata(resource, {
    resourceMetadataUrl: resourceMetadataUrl as URL,
  });
  expect(told).toMatchObject({ resource, authorization_servers: [issuer.issuer] });
  expect(await discoverOAuthProtectedResourceMetadata(resource)).toEqual(told);
  const token = await issuer.token({ aud: resource });
  const client = new Client({ name: "c", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(resource), { requestInit });
  await client.connect(transport);
  await client.ping();
  await client.close();
});

test("a token without a scope that everything needs is answered with 403 and the scope", async () => {
  const { issuer, ask } = await gateway({ requiredScopes: ["crm:read", "crm:write"] });
  const refused = await ask(await issuer.token());
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  expect(refused.headers.get("www-authenticate")).toContain('scope="crm:read crm:write"');
});

test("a tool's scopes are asked for at the tool, and the answer names what is missing", async () => {
  const { issuer, url } = await gateway({}, (subject) =>
    subject.policy(scopePolicy({ "crm_*": ["crm:read"], "*_delete": ["crm:write"] })),
  );
  const call = async (name: string, scope: string) => {
    const headers = { authorization: `Bearer ${await issuer.token({ scope })}`, "content-type": "application/json" };
    const response = await fetch(`${url}/mcp/execute`, {
      method: "POST",
      headers,
      body: JSON.stringify({ tool: name }),
    });
    return [response.status, ((await response.json()) as { message?: string }).message];
  };
  expect(await call("crm_look", "crm:read")).toEqual([200, undefined]);
  expect(await call("crm_delete", "crm:read")).toEqual([403, "crm_delete needs the scope crm:write."]);
  expect(await call("crm_delete", "")).toEqual([403, "crm_delete needs the scope crm:read and crm:write."]);
  expect(await call("crm_delete", "crm:write crm:read")).toEqual([200, undefined]);
  expect(await call("say", "")).toEqual([200, undefined]);
});

test("over MCP a missing scope is answered with 403 and how to get it, so that clients can step up", async () => {
  const { issuer, url } = await gateway({}, (subject) => subject.policy(scopePolicy({ "*_delete": ["crm:write"] })));
  const call = async (scope: string) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${await issuer.token({ scope })}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "crm_delete", arguments: {} },
      }),
    });
  const refused = await call("crm:read");
  expect(refused.status).toBe(403);
  const { scope, error } = extractWWWAuthenticateParams(refused);
  expect({ scope, error }).toEqual({ scope: "crm:write", error: "insufficient_scope" });
  expect((await call("crm:write")).status).toBe(200);
});

test("a token of OAuth is not taken from an address", async () => {
  const { issuer, url } = await gateway();
  expect((await fetch(`${url}/k/${await issuer.token()}/mcp/capabilities`)).status).toBe(401);
});

test("several authenticators are tried in turn, and the most specific refusal is returned", async () => {
  const issuer = await openIssuer();
  opened.push(issuer);
  const secret = "a-token-of-our-own-that-is-long-enough";
  const authenticate = firstOf(
    bearerTokens([{ id: "own", token: secret }]),
    oauthResource({ issuer: issuer.issuer, audience }),
  );
  const ask = (token: string) => authenticate({ headers: { authorization: `Bearer ${token}` }, address: "" });
  expect(ask(secret)).toMatchObject({ id: "own" });
  expect(await ask(await issuer.token())).toMatchObject({ id: "ada" });
  expect(ask("something-else")).toBeUndefined();
  await expect(ask(await issuer.token({ aud: "x" }))).rejects.toThrow(/audience/);
  expect(authenticate.resource?.authorizationServers).toEqual([issuer.issuer]);
});

test.each<[string, Partial<OAuthResourceOptions>, RegExp]>([
  ["shared secrets", { algorithms: ["HS256"] }, /not HS256/],
  ["no signature", { algorithms: ["RS256", "none"] }, /not none/],
  ["no algorithm", { algorithms: [] }, /asymmetric/],
  ["an issuer over plain HTTP", { issuer: "http://issuer.example" }, /issuer must be an https URL/],
  ["keys over plain HTTP", { jwksUri: "http://issuer.example/keys" }, /jwksUri must be an https URL/],
  ["no audience", { audience: [] }, /needs an audience/],
  ["an audience that is no address, and no resource", { audience: "crm" }, /needs resource/],
])("options with %s are refused", (_, options, message) => {
  expect(() => oauthResource({ issuer: "https://issuer.example", audience, ...options })).toThrow(message);
});

/** A server behind OAuth, and who came in. */
async function gateway(
  options: Partial<OAuthResourceOptions> = {},
  prepare: (subject: Server) => void = () => undefined,
) {
  const issuer = await openIssuer();
  const seen: Principal[] = [];
  const faults: unknown[] = [];
  const say = (name: string) => tool({ name, run: (_, call) => void seen.push(call.principal) });
  const tools = ["say", "crm_look", "crm_delete"].map(say);
  const subject = server({ name: "s", version: "1", tools, onFault: (fault) => faults.push(fault) });
  prepare(subject);
  opened.push(issuer, subject);
  const authenticate = oauthResource({ issuer: issuer.issuer, audience, ...options });
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", authenticate });
  const ask = (token: string | undefined) =>
    fetch(`${url}/mcp/execute`, {
      method: "POST",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: '{"tool":"say"}',
    });
  return { issuer, url, ask, seen, faults };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
