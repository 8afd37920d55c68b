import { expect, test } from "vitest";
import type { BiplaneError } from "biplane";
import { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import type { OidcOptions } from "../../packages/biplane/src/governance/people/oidc.ts";
import type { PeopleOptions } from "../../packages/biplane/src/governance/people/people.ts";
import { openOidcProvider } from "../support/oidc-provider.ts";
import type { OidcProvider } from "../support/oidc-provider.ts";
import { openServedGateway, passphrase } from "./admin-server.ts";
import type { Json, ServedGateway } from "./admin-server.ts";

const grace = { sub: "u-1", preferred_username: "grace", groups: ["crew", "ops"] };
const roles = { crew: "viewer", ops: "operator" } as const;

test("a person of the provider signs in, with the highest role of their groups", async () => {
  await using parts = await open();
  const { status, json } = await signIn(parts);
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({ name: "grace", role: "operator", isProvided: true, key: expect.any(String) as string }),
  ]);
  expect(await parts.gateway.people.find("grace")).toMatchObject({ role: "operator", provider: parts.provider.issuer });
});

test("the role follows the provider at each sign-in, and the account is found by subject, not by name", async () => {
  await using parts = await open();
  await signIn(parts);
  parts.provider.claims = { ...grace, preferred_username: "grace2", groups: "crew" };
  expect((await signIn(parts)).json).toMatchObject({ name: "grace", role: "viewer" });
  expect(await parts.gateway.people.find("grace2")).toBeUndefined();
});

test("an account with a passphrase is not taken over by a person of the same name", async () => {
  await using parts = await open();
  parts.provider.claims = { sub: "u-2", preferred_username: "ada", groups: ["ops"] };
  const { status, json } = await signIn(parts);
  expect([status, json["message"]]).toEqual([400, "An account named ada already exists. Choose another name."]);
});

test("a person without a role is refused with the reason, unless there is a default", async () => {
  await using parts = await open();
  parts.provider.claims = { ...grace, groups: ["guests"] };
  const refused = await signIn(parts);
  expect([refused.status, refused.json["message"]]).toEqual([
    403,
    "grace has no role here. None of the groups in the claim groups is in signIn.oidc.roles.",
  ]);
  await using open2 = await open({ defaultRole: "viewer" });
  open2.provider.claims = { ...grace, groups: undefined };
  expect((await signIn(open2)).json).toMatchObject({ role: "viewer" });
});

test.each([
  ["another state", (search: string) => search.replace(/state=[^&]*/, "state=other"), {}],
  ["a code that was never issued", (search: string) => search.replace(/code=[^&]*/, "code=guess"), {}],
  ["an error of the provider", () => "?error=access_denied&state=", {}],
  ["an id token for another attempt", (search: string) => search, { nonce: "other" }],
  ["an id token for another client", (search: string) => search, { audience: "other" }],
  ["an id token with a false signature", (search: string) => search, { isWrongKey: true }],
])("%s signs nobody in", async (_, change, tamper) => {
  await using parts = await open();
  parts.provider.tamper = tamper;
  const { status, json } = await signIn(parts, change);
  expect(status).toBe(401);
  expect(json["message"]).not.toContain(parts.provider.clientSecret);
  expect(await parts.gateway.people.find("grace")).toBeUndefined();
});

test("a code works once, and only with the verifier of the browser that began", async () => {
  await using parts = await open();
  const begun = await begin(parts);
  const wrong = await finish(parts, { ...begun, verifier: "x".repeat(43) });
  expect(wrong.status).toBe(401);
  const again = await begin(parts);
  expect((await finish(parts, again)).status).toBe(200);
  expect((await finish(parts, again)).status).toBe(401);
});

test("failed sign-ins are slowed down for their network, and those of a provider in trouble are not", async () => {
  const now = Date.now();
  await using parts = await open({}, { now: () => now });
  const guess = { state: "x".repeat(43), verifier: "x".repeat(43), nonce: "x".repeat(43) };
  const statuses: number[] = [];
  for (let at = 0; at < 7; at++) {
    const { status } = await finish(parts, { ...guess, search: `?code=guess&state=${guess.state}` });
    statuses.push(status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect((await signIn(parts)).status).toBe(429);
  await using other = await open({}, { now: () => now });
  await other.provider[Symbol.asyncDispose]();
  for (let at = 0; at < 7; at++) expect((await finish(other, { ...guess, search: "?code=x" })).status).toBe(503);
});

test("of a flood of false returns, a limited number waits for the provider, and the rest is refused", async () => {
  await using provider = await openOidcProvider(grace);
  const { issuer, clientId, clientSecret } = provider;
  const signsIn = new OidcSignIn({ issuer, clientId, clientSecret, roles });
  const { url: _, ...attempt } = await signsIn.start("http://127.0.0.1/");
  const finishOne = () =>
    signsIn.finish(`?code=guess&state=${attempt.state}`, { ...attempt, redirectUri: "http://127.0.0.1/" });
  const answers = await Promise.allSettled(Array.from({ length: 60 }, finishOne));
  const codes = answers.map((answer) => (answer.status === "rejected" ? (answer.reason as BiplaneError).code : "done"));
  expect(codes.filter((code) => code === "RATE_LIMITED")).toHaveLength(60 - 4 - 32);
  expect(codes.filter((code) => code === "UNAUTHORIZED")).toHaveLength(4 + 32);
});

test("a person of the provider has no passphrase to sign in with or to change", async () => {
  await using parts = await open();
  await signIn(parts);
  const { gateway } = parts;
  expect((await gateway.ask("POST /api/session", { name: "grace", passphrase })).status).toBe(401);
  await expect(gateway.people.setPassphrase({ name: "grace", passphrase })).rejects.toThrow(
    `grace signs in with ${parts.provider.issuer} and has no passphrase here.`,
  );
  const ada = await gateway.logIn();
  expect((await gateway.ask("PUT /api/people/grace", { role: "owner" }, ada)).status).toBe(400);
});

test("without a provider, the routes say what to set; an unreachable one can be tried again", async () => {
  await using plain = await openServedGateway();
  expect((await plain.ask("POST /api/session/oidc", {})).json).toMatchObject({
    message: "No OpenID provider is configured. Set signIn.oidc in biplane.yaml.",
  });
  await using parts = await open();
  await parts.provider[Symbol.asyncDispose]();
  expect((await parts.gateway.ask("POST /api/session/oidc", {})).status).toBe(503);
  expect(() => new OidcSignIn({ issuer: "http://login.example.com", clientId: "x", roles })).toThrow("https");
  expect(() => new OidcSignIn({ issuer: "https://login.example.com", clientId: "x" })).toThrow("defaultRole");
});

test.each<[string, (metadata: object) => Response, string]>([
  [
    "a script for the page of the provider",
    (metadata) => Response.json({ ...metadata, authorization_endpoint: "javascript:alert(1)" }),
    "no valid authorization_endpoint",
  ],
  [
    "metadata without end",
    (metadata) => Response.json({ ...metadata, more: "x".repeat(2 ** 21) }),
    "cannot be reached",
  ],
])("%s is refused", async (_, tamper, message) => {
  await using provider = await openOidcProvider(grace);
  const { issuer, clientId, clientSecret } = provider;
  const sign = new OidcSignIn({
    issuer,
    clientId,
    clientSecret,
    roles,
    fetch: async (url, init) => tamper((await (await fetch(url, init)).json()) as object),
  });
  await expect(sign.start("http://127.0.0.1/")).rejects.toThrow(message);
});

test("a remote provider cannot name this machine for tokens", async () => {
  const issuer = "https://login.example";
  const reached: string[] = [];
  const sign = new OidcSignIn({
    issuer,
    clientId: "page",
    clientSecret: "secret",
    roles,
    fetch: async (url) => {
      reached.push(new Request(url).url);
      const endpoints = { authorization_endpoint: `${issuer}/page`, token_endpoint: "https://localhost:9/token" };
      return Response.json({ issuer, ...endpoints, jwks_uri: `${issuer}/keys` });
    },
  });
  const { state, verifier, nonce } = await sign.start("http://127.0.0.1/");
  const back = { state, verifier, nonce, redirectUri: "http://127.0.0.1/" };
  await expect(sign.finish(`?code=c&state=${state}`, back)).rejects.toThrow("did not sign you in");
  expect(reached).toEqual([`${issuer}/.well-known/openid-configuration`]);
});

interface Parts extends AsyncDisposable {
  readonly provider: OidcProvider;
  readonly gateway: ServedGateway;
}

async function open(options: Partial<OidcOptions> = {}, people: Partial<PeopleOptions> = {}): Promise<Parts> {
  const provider = await openOidcProvider(grace);
  const { issuer, clientId, clientSecret } = provider;
  const signsIn = new OidcSignIn({ issuer, clientId, clientSecret, roles, ...options });
  const gateway = await openServedGateway({ provider: signsIn, people });
  return {
    provider,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

interface Begun {
  readonly search: string;
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** What the browser has when it returns. */
async function begin({ gateway }: Parts): Promise<Begun> {
  const { json } = await gateway.ask("POST /api/session/oidc", {});
  const { url, state, verifier, nonce } = json as Record<string, string>;
  const response = await fetch(url ?? "", { redirect: "manual" });
  const { search } = new URL(response.headers.get("location") ?? "");
  return { search, state: state ?? "", verifier: verifier ?? "", nonce: nonce ?? "" };
}

function finish({ gateway }: Parts, body: Begun): Promise<{ status: number; json: Json }> {
  return gateway.ask("PUT /api/session/oidc", body);
}

async function signIn(parts: Parts, change = (search: string) => search): Promise<{ status: number; json: Json }> {
  const begun = await begin(parts);
  return finish(parts, { ...begun, search: change(begun.search) });
}
