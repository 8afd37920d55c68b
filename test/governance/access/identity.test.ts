import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { allow, deny, rules, server, tool } from "biplane";
import type { Principal, Server } from "biplane";
import { connect, idJag, workloadIdentity } from "biplane/client";
import type { OAuthClientOptions } from "../../../packages/core/src/client/auth/options.ts";
import { oauthResource } from "biplane/governance";
import type { OAuthResourceOptions } from "biplane/governance";
import { freePort } from "../../support/free-port.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openTokenServer } from "./token-server.ts";
import type { TokenServer } from "./token-server.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

describe("a policy sees the proven identity of a caller", () => {
  test("that has a secret", async () => {
    const { identity } = await play({
      grant: "client_credentials",
      clientId: "program",
      clientSecret: "program-secret",
    });
    expect(identity).toMatchObject({ subject: "program", clientId: "program", keyThumbprint: undefined });
  });

  test("that has a key", async () => {
    const { identity, issuer } = await play((at) => ({
      grant: "client_credentials",
      clientId: "program",
      privateKey: { pem: at.clientKey },
    }));
    expect(identity).toMatchObject({ issuer: issuer.issuer, subject: "program" });
  });

  test("whose tokens are bound to a key, with a nonce for every proof", async () => {
    const { identity } = await play(
      { grant: "client_credentials", clientId: "program", clientSecret: "program-secret" },
      { dpop: { required: true, nonce: { key: "key of nonces" } } },
    );
    expect(identity?.keyThumbprint).toMatch(/^[\w-]{43}$/);
  });

  test("whose company vouches for the person", async () => {
    const { identity, issuer } = await play(async (at) => ({
      grant: "jwt_bearer",
      clientId: "program",
      clientSecret: "program-secret",
      assertion: idJag({
        tokenEndpoint: `${at.issuer}/idp/token`,
        clientId: "company-app",
        clientSecret: "company-app-secret",
        idToken: await at.idToken("ada@example.com"),
      }),
    }));
    expect(identity).toMatchObject({ subject: "ada@example.com", clientId: "program" });
    expect(issuer.asked.map(({ path }) => path)).toEqual(["/idp/token", "/token"]);
    expect(issuer.asked[0]?.form.get("audience")).toBe(issuer.issuer);
  });

  test("whose platform vouches for the program", async () => {
    const folder = await temporaryFolder();
    opened.push(folder);
    const file = join(folder.path, "token");
    const { identity, issuer } = await play(async (at) => {
      await writeFile(file, `${await at.platformToken("system:serviceaccount:tools:agent")}\n`);
      return { grant: "jwt_bearer", clientId: "workload", assertion: workloadIdentity({ file }) };
    });
    expect(identity).toMatchObject({ subject: "system:serviceaccount:tools:agent" });
    // The assertion is used up, and is not sent again with another grant.
    expect(issuer.asked).toHaveLength(1);
  });
});

test("a client declares the extensions by which it gets its tokens", async () => {
  const options = { grant: "client_credentials", clientId: "program", clientSecret: "program-secret" } as const;
  const { capabilities } = await play({ ...options, dpop: true });
  expect(capabilities["extensions"]).toMatchObject({
    "io.modelcontextprotocol/oauth-client-credentials": {},
    "io.modelcontextprotocol/auth/dpop": {},
  });
});

test("an ID-JAG is not requested from an authorization server that does not accept it", async () => {
  const assertion = idJag({ tokenEndpoint: "http://127.0.0.1:9/token", clientId: "c", idToken: "t" });
  const request = { issuer: "https://as.example", tokenEndpoint: "", resource: "r", scope: undefined };
  await expect(assertion({ ...request, profiles: [] })).rejects.toThrow("https://as.example does not accept");
});

test("a workload token that is none says where it should be", async () => {
  const request = { issuer: "i", tokenEndpoint: "", resource: "r", scope: undefined, profiles: undefined };
  const missing = workloadIdentity({ file: "/nowhere/token" });
  await expect(missing(request)).rejects.toThrow("The token file /nowhere/token cannot be read");
  await expect(workloadIdentity({ variable: "BIPLANE_NO_TOKEN" })(request)).rejects.toThrow("BIPLANE_NO_TOKEN");
});

test("rules match issuer, client and key", async () => {
  const policy = rules(
    [
      { principal: { issuer: "https://login.example", client: "billing-*" }, tool: "pay", allow: true },
      { principal: { key: "*" }, tool: "wipe", allow: true },
    ],
    { otherwise: "deny" },
  );
  const verdict = async (name: string, identity?: Principal["identity"]) => {
    const principal = { kind: "token", id: "ada", scopes: [], ...(identity && { identity }) } as const;
    const context = { principal, route: "mcp", mode: "production" } as never;
    return (await policy({ agentId: "a" } as never, name, {}, context)).verdict;
  };
  const known = { issuer: "https://login.example", subject: "ada", clientId: "billing-app", keyThumbprint: undefined };
  expect(await verdict("pay", known)).toBe("allow");
  expect(await verdict("pay", { ...known, issuer: "https://evil.example" })).toBe("deny");
  expect(await verdict("pay", { ...known, clientId: "chat" })).toBe("deny");
  expect(await verdict("pay")).toBe("deny");
  expect(await verdict("wipe", known)).toBe("deny");
  expect(await verdict("wipe", { ...known, keyThumbprint: "k".repeat(43) })).toBe("allow");
});

describe("a token", () => {
  test.each([
    ["of another type", { typ: "oauth-id-jag+jwt" }, "must be at+jwt"],
    ["of the general type", { typ: "JWT" }, "tokenTypes"],
    ["that is bound to a certificate", { claims: { cnf: { "x5t#S256": "x" } } }, "TLS client certificate"],
    ["with an unknown binding", { claims: { cnf: { jwk: {} } } }, "cannot check"],
    ["with two bindings", { claims: { cnf: { jkt: "k".repeat(43), "x5t#S256": "x" } } }, "TLS client certificate"],
    ["with a malformed binding", { claims: { cnf: "all" } }, "cannot check"],
  ])("%s is refused", async (_, { typ, claims = {} }: { typ?: string; claims?: object }, message) => {
    const { issuer, ask, audience } = await resource();
    const answer = await ask(await issuer.token({ sub: "ada", aud: audience, ...claims }, typ));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain(message);
  });

  test("of the general type is accepted where the operator says so", async () => {
    const { issuer, ask, audience } = await resource({ tokenTypes: ["at+jwt", "JWT"] });
    expect((await ask(await issuer.token({ sub: "ada", aud: audience }, "JWT"))).status).toBe(200);
    expect((await ask(await issuer.token({ sub: "ada", aud: audience }, "application/at+jwt"))).status).toBe(200);
    expect((await ask(await issuer.token({ sub: "ada", aud: audience }, "dpop+jwt"))).status).toBe(401);
  });
});

describe("an opaque token", () => {
  const introspection = { clientId: "resource-server", clientSecret: "resource-server-secret" };
  const opaque = "opaque-token-of-the-issuer";

  test("is looked up at the issuer, once in a while", async () => {
    const { issuer, ask, audience, seen } = await resource({ introspection });
    issuer.keep(opaque, { active: true, sub: "ada", client_id: "app", aud: audience, scope: "a b" });
    expect((await ask(opaque)).status).toBe(200);
    expect((await ask(opaque)).status).toBe(200);
    expect(seen[1]).toMatchObject({ id: "ada", scopes: ["a", "b"], identity: { clientId: "app" } });
    expect(issuer.asked.map(({ path }) => path)).toEqual(["/introspect"]);
  });

  test.each<[string, object]>([
    ["is not active", { active: false, sub: "ada" }],
    ["is for another server", { active: true, sub: "ada", aud: "https://other.example" }],
    ["is for no server", { active: true, sub: "ada", aud: undefined }],
    ["comes from another issuer", { active: true, sub: "ada", iss: "https://evil.example" }],
    ["has expired", { active: true, sub: "ada", exp: 1 }],
    ["has a time that is no number", { active: true, sub: "ada", exp: "1700000000" }],
    ["is bound to a key", { active: true, sub: "ada", cnf: { jkt: "k".repeat(43) } }],
    ["is about nobody", { active: true }],
  ])("is refused if it %s", async (_, answer) => {
    const { issuer, ask, audience, seen } = await resource({ introspection });
    issuer.keep(opaque, { aud: audience, ...answer });
    expect((await ask(opaque)).status).toBe(401);
    expect(seen).toEqual([]);
  });

  test("that is refused is not looked up again at once", async () => {
    const { issuer, ask } = await resource({ introspection });
    expect([(await ask(opaque)).status, (await ask(opaque)).status]).toEqual([401, 401]);
    expect(issuer.asked).toHaveLength(1);
  });

  test("about which the issuer answers nonsense does not stop others", async () => {
    const { issuer, ask, audience } = await resource({ introspection });
    issuer.keep("odd", { active: "perhaps" });
    issuer.keep(opaque, { active: true, sub: "ada", aud: audience });
    expect([(await ask("odd")).status, (await ask(opaque)).status]).toEqual([503, 200]);
  });

  test("cannot be checked during an outage, while signed ones are accepted", async () => {
    const now = Date.now();
    const { issuer, ask, audience } = await resource({ introspection, now: () => now });
    issuer.breakDown();
    expect([(await ask("one")).status, (await ask("two")).status]).toEqual([503, 503]);
    expect(issuer.asked).toHaveLength(1);
    expect((await ask(await issuer.token({ sub: "ada", aud: audience }))).status).toBe(200);
  });

  test("is refused without introspection, and ours are never sent to the issuer", async () => {
    const { ask } = await resource();
    expect((await ask(opaque)).status).toBe(401);
    const asking = await resource({ introspection });
    expect((await asking.ask("biplane_t_0123456789012345678901234567890123456789012")).status).toBe(401);
    expect(asking.issuer.asked).toEqual([]);
  });

  test("cannot be checked with wrong credentials, which no answer shows", async () => {
    const { ask, faults } = await resource({ introspection: { clientId: "x", clientSecret: "very-secret" } });
    const answer = await ask(opaque);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("secret");
    expect(faults).toHaveLength(1);
    expect(String(faults[0])).not.toContain("very-secret");
  });
});

test("a revoked token is refused if the issuer is asked about signed ones too", async () => {
  const introspection = { clientId: "resource-server", clientSecret: "resource-server-secret", always: true };
  const { issuer, ask, audience } = await resource({ introspection, rememberMs: 0 });
  const token = await issuer.token({ sub: "ada", aud: audience });
  issuer.keep(token, { active: true, sub: "ada", aud: audience });
  expect((await ask(token)).status).toBe(200);
  issuer.keep(token, { active: false });
  expect((await ask(token)).status).toBe(401);
});

type Given = OAuthClientOptions | ((issuer: TokenServer) => OAuthClientOptions | Promise<OAuthClientOptions>);

/** Calls a tool whose policy admits only callers with an identity of the issuer. */
async function play(given: Given, options: Partial<OAuthResourceOptions> = {}) {
  const { issuer, url, seen, subject } = await resource(options);
  let capabilities: Record<string, unknown> = {};
  subject.policy((_agent, _tool, _input, { principal }) =>
    principal.identity?.issuer === issuer.issuer ? allow() : deny("not proven"),
  );
  const oauth = typeof given === "function" ? await given(issuer) : given;
  const client = await connect(url, {
    oauth,
    fetch: async (address, init) => {
      const body = typeof init?.body === "string" && init.body.startsWith("{") ? init.body : "{}";
      const { params } = JSON.parse(body) as { params?: { _meta?: Record<string, Record<string, unknown>> } };
      capabilities = params?._meta?.["io.modelcontextprotocol/clientCapabilities"] ?? capabilities;
      return fetch(address, init);
    },
  });
  opened.push(client);
  expect(await client.callTool("say")).not.toMatchObject({ isError: true });
  expect(seen).toHaveLength(1);
  return { identity: seen[0]?.identity, issuer, capabilities };
}

async function resource(options: Partial<OAuthResourceOptions> = {}) {
  const issuer = await openTokenServer();
  opened.push(issuer);
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/mcp`;
  const seen: Principal[] = [];
  const faults: unknown[] = [];
  const say = tool({ name: "say", run: (_, call) => void seen.push(call.principal) });
  const subject: Server = server({ name: "s", version: "1", tools: [say], onFault: (fault) => faults.push(fault) });
  opened.push(subject);
  const authenticate = oauthResource({ issuer: issuer.issuer, audience, ...options });
  await subject.serve({ url: `http://127.0.0.1:${port}`, authenticate });
  const ask = (token: string) =>
    fetch(`${audience}/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: '{"tool":"say"}',
    });
  return { issuer, url: audience, audience, ask, seen, faults, subject };
}
