import { hash } from "node:crypto";
import { DPoP, allowInsecureRequests, customFetch, generateKeyPair, protectedResourceRequest } from "oauth4webapi";
import { SignJWT, calculateJwkThumbprint, exportJWK } from "jose";
import type { JWK } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { memoryStore, server, tool } from "biplane";
import type { Principal } from "biplane";
import { memoryReplayGuard, oauthResource, storeReplayGuard } from "biplane/governance";
import type { DpopOptions } from "biplane/governance";
import { freePort } from "../../support/free-port.ts";
import { openTokenServer } from "./token-server.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

test("a token that is bound to a key is accepted with a proof of it, from another implementation", async () => {
  const { url, token, seen, thumbprint, pair } = await resource();
  const options = { DPoP: DPoP({}, pair), [allowInsecureRequests]: true, [customFetch]: withBody };
  const answer = await protectedResourceRequest(token, "POST", new URL(url), undefined, undefined, options);
  expect(answer.status).toBe(200);
  expect(seen[0]).toMatchObject({ id: "ada", identity: { clientId: "app", keyThumbprint: thumbprint } });
});

test("a bound token is never accepted as a plain bearer token, nor a plain one with a proof", async () => {
  const { ask, token, plain, proof, seen } = await resource();
  const bearer = await ask({ authorization: `Bearer ${token}` });
  expect(bearer.status).toBe(401);
  expect(bearer.headers.get("www-authenticate")).toMatch(/^DPoP error="invalid_token".*bound to a key.*algs="ES256/);
  expect((await ask({ authorization: `Bearer ${token}`, dpop: await proof() })).status).toBe(401);
  expect((await ask({ authorization: `DPoP ${plain}`, dpop: await proof({ ath: athOf(plain) }) })).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${plain}` })).status).toBe(200);
  expect(seen).toHaveLength(1);
});

describe("a proof is refused", () => {
  type Prepared = Awaited<ReturnType<typeof resource>>;
  const seconds = () => Math.floor(Date.now() / 1000);
  const attacks: Record<string, (at: Prepared) => Promise<string | undefined>> = {
    "that is missing": async () => undefined,
    "that is no JWT": async () => "proof",
    "that is huge": async () => `${"a".repeat(9000)}.b.c`,
    "of two proofs": async ({ proof }) => `${await proof()}, ${await proof()}`,
    "for another method": ({ proof }) => proof({ htm: "GET" }),
    "for another path": ({ proof, url }) => proof({ htu: url.replace("/mcp/execute", "/mcp") }),
    "for another host": ({ proof }) => proof({ htu: "https://evil.example/mcp/execute" }),
    "for another token": ({ proof }) => proof({ ath: athOf("another") }),
    "without a token": ({ proof }) => proof({ ath: undefined }),
    "without an id": ({ proof }) => proof({ jti: undefined }),
    "with a long id": ({ proof }) => proof({ jti: "x".repeat(257) }),
    "that is old": ({ proof }) => proof({ iat: seconds() - 120 }),
    "from the future": ({ proof }) => proof({ iat: seconds() + 120 }),
    "without a time": ({ proof }) => proof({ iat: undefined }),
    "of another type": ({ proof }) => proof({}, { typ: "JWT" }),
    "with another key": async ({ proof }) => {
      const other = await generateKeyPair("ES256", { extractable: true });
      return proof({}, {}, other);
    },
    "that is signed with another key than it names": async ({ proof, jwk }) => {
      const other = await generateKeyPair("ES256", { extractable: true });
      return proof({}, { jwk }, other);
    },
    "that contains the private key": async ({ proof, pair }) => proof({}, { jwk: await exportJWK(pair.privateKey) }),
    "that is signed with a shared secret": ({ jwk }) =>
      new SignJWT({ jti: "1" })
        .setProtectedHeader({ alg: "HS256", typ: "dpop+jwt", jwk })
        .setIssuedAt()
        .sign(Buffer.from(JSON.stringify(jwk))),
  };
  test.each(Object.keys(attacks))("%s", async (name) => {
    const at = await resource();
    const dpop = await (attacks[name] as (at: Prepared) => Promise<string | undefined>)(at);
    const answer = await at.ask({ authorization: `DPoP ${at.token}`, ...(dpop !== undefined && { dpop }) });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^DPoP error="invalid_dpop_proof"/);
    expect(await answer.text()).not.toContain(at.token);
    expect(at.seen).toEqual([]);
  });
});

test("a proof is accepted once, in every process that shares the store", async () => {
  const store = memoryStore();
  const first = await resource({ replay: storeReplayGuard(store) });
  const second = { ...first, ...(await first.another({ replay: storeReplayGuard(store) })) };
  const dpop = await first.proof();
  const headers = { authorization: `DPoP ${first.token}`, dpop };
  expect((await first.ask(headers)).status).toBe(200);
  expect((await first.ask(headers)).status).toBe(401);
  expect((await second.ask(headers)).status).toBe(401);
  expect(await (await second.ask(headers)).text()).toContain("already used");
  expect((await second.ask({ ...headers, dpop: await first.proof() })).status).toBe(200);
});

test("a request that another process checked and sent on does not use up its proof again", async () => {
  const { issuer, url, token, proof, thumbprint } = await resource();
  const audience = url.replace("/execute", "");
  const authenticate = oauthResource({ issuer: issuer.issuer, audience });
  const headers = { authorization: `DPoP ${token}`, dpop: await proof() };
  const request = { headers, address: "127.0.0.1", method: "POST", path: "/mcp/execute" };
  for (const isForwarded of [false, true])
    expect(await authenticate({ ...request, isForwarded })).toMatchObject({ identity: { keyThumbprint: thumbprint } });
  await expect(authenticate(request)).rejects.toThrow("already used");
});

test("a nonce is demanded, given and expires", async () => {
  let clock = Date.now();
  const now = () => clock;
  const { ask, token, proof } = await resource({ nonce: { key: "shared by all processes" } }, now);
  const headers = async (claims: object) => ({ authorization: `DPoP ${token}`, dpop: await proof(claims) });
  const first = await ask(await headers({}));
  expect(first.status).toBe(401);
  expect(first.headers.get("www-authenticate")).toContain('DPoP error="use_dpop_nonce"');
  const nonce = first.headers.get("dpop-nonce") ?? "";
  expect((await ask(await headers({ nonce }))).status).toBe(200);
  expect((await ask(await headers({ nonce: `${nonce}x` }))).status).toBe(401);
  clock += 11 * 60_000;
  const late = await ask(await headers({ nonce, iat: Math.floor(clock / 1000) }));
  expect(late.headers.get("www-authenticate")).toContain("use_dpop_nonce");
  expect(late.headers.get("dpop-nonce")).not.toBe(nonce);
});

test("plain tokens are refused if bound ones are required, and the metadata say so", async () => {
  const { url, ask, plain } = await resource({ required: true });
  const answer = await ask({ authorization: `Bearer ${plain}` });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toMatch(/^DPoP error="invalid_token"/);
  expect((await ask({})).headers.get("www-authenticate")).toMatch(/^DPoP resource_metadata=/);
  const metadata = (await (await fetch(new URL("/.well-known/oauth-protected-resource", url))).json()) as object;
  expect(metadata).toMatchObject({
    dpop_bound_access_tokens_required: true,
    dpop_signing_alg_values_supported: expect.arrayContaining(["ES256"]) as string[],
  });
});

test("used proofs are forgotten when they expire, and bounded for each key until then", () => {
  let clock = 0;
  const guard = memoryReplayGuard({ perKey: 3, total: 5, now: () => clock });
  const claim = (thumbprint: string, id: string) => guard.claim({ thumbprint, id, until: clock + 100 });
  expect([claim("a", "1"), claim("a", "2"), claim("a", "3"), claim("a", "1")]).toEqual([true, true, true, false]);
  expect(() => claim("a", "4")).toThrow("Too many DPoP proofs");
  expect([claim("b", "1"), claim("b", "2")]).toEqual([true, true]);
  expect(() => claim("c", "1")).toThrow("Too many DPoP proofs");
  clock = 1000;
  expect([claim("a", "4"), claim("c", "1")]).toEqual([true, true]);
});

test("a key with too many proofs does not make the guard look through all of them each time", () => {
  let looks = 0;
  const guard = memoryReplayGuard({ perKey: 500, now: () => (looks++, 0) });
  for (let at = 0; at < 500; at++) expect(guard.claim({ thumbprint: "a", id: String(at), until: 100 })).toBe(true);
  for (let at = 0; at < 100; at++)
    expect(() => guard.claim({ thumbprint: "a", id: `more ${at}`, until: 100 })).toThrow("Too many DPoP proofs");
  expect(looks).toBeLessThan(2000);
});

test("a shared store forgets expired proofs", async () => {
  let clock = 0;
  const store = memoryStore();
  const guard = storeReplayGuard(store, { now: () => clock });
  for (let at = 0; at < 150; at++) await guard.claim({ thumbprint: "a", id: String(at), until: 100 });
  clock = 1000;
  for (let at = 0; at < 300; at++) await guard.claim({ thumbprint: "a", id: `later ${at}`, until: 1100 });
  const left = await store.list("dpop-proofs", { limit: 1000 });
  expect(left.every(([key]) => Number(key.split(".")[0]) === 1100)).toBe(true);
});

/** The path has a body, which the library sends none of. */
const withBody = (url: string, { headers }: { headers: Record<string, string> }) =>
  fetch(url, { method: "POST", body: '{"tool":"say"}', headers: { ...headers, "content-type": "application/json" } });

function athOf(token: string): string {
  return hash("sha256", token, "base64url");
}

async function resource(dpop: DpopOptions = {}, now = Date.now) {
  const issuer = await openTokenServer();
  opened.push(issuer);
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/mcp`;
  const url = `${audience}/execute`;
  const pair = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const thumbprint = await calculateJwkThumbprint(jwk);
  const seen: Principal[] = [];
  const expires = { exp: Math.floor(Date.now() / 1000) + 3600 };
  const claims = { sub: "ada", client_id: "app", aud: audience, ...expires };
  const token = await issuer.token({ ...claims, cnf: { jkt: thumbprint } });
  const plain = await issuer.token(claims);

  /** Clients call both by the address of the first: it stands for a load balancer. */
  async function another(given: DpopOptions, at = "http://127.0.0.1:0") {
    const say = tool({ name: "say", run: (_, call) => void seen.push(call.principal) });
    const subject = server({ name: "s", version: "1", tools: [say] });
    opened.push(subject);
    const authenticate = oauthResource({ issuer: issuer.issuer, audience, dpop: given, now });
    const listening = await subject.serve({ url: at, authenticate });
    const ask = (headers: Record<string, string>) =>
      fetch(`${listening.url}/mcp/execute`, { method: "POST", headers, body: '{"tool":"say"}' });
    return { ask };
  }

  function proof(claimed: object = {}, header: object = {}, keys = pair): Promise<string> {
    const usual = { jti: crypto.randomUUID(), htm: "POST", htu: url, ath: athOf(token) };
    const payload = { ...usual, iat: Math.floor(Date.now() / 1000), ...claimed };
    return exportJWK(keys.publicKey).then((own: JWK) =>
      new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: own, ...header })
        .sign(keys.privateKey),
    );
  }
  const { ask } = await another(dpop, `http://127.0.0.1:${port}`);
  return { issuer, url, ask, another, token, plain, proof, pair, jwk, thumbprint, seen };
}
