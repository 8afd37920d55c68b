import { request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../packages/biplane/src/governance/access/token.ts";
import { adminApi } from "../../packages/biplane/src/admin/contract.ts";
import type { Operations } from "../../packages/biplane/src/admin/http/operation.ts";
import { openGateway, passphrase, referred, stored } from "./openapi-server.ts";
import type { Gateway } from "./openapi-server.ts";

const operations: Operations = adminApi;
let gateway: Gateway;
let ada: { cookie: string };
let keys: readonly string[];

beforeAll(async () => {
  gateway = await openGateway({ isGuarded: true, scripts: { hello: "result = 1\n" }, config: "name: gateway\n" });
  ada = await gateway.logIn();
  keys = Object.keys(gateway.routes);
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Asks with a plain client, which sends whatever headers it is given, and gives the status. */
function send(line: string, headers: Record<string, string>): Promise<number> {
  const [method = "", path = ""] = line.split(" ");
  const body = method === "GET" ? "" : "{}";
  const all = { ...headers, "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    const sent = request(gateway.url + path, { method, headers: all }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

/** A route with something in place of its parameters. */
function lineOf(key: string, value = "x"): string {
  return key.replaceAll(/:\w+/g, encodeURIComponent(value));
}

/** Left out of the loops: logging out ends the session, and a stream never ends. */
const isAside = (key: string) => /^(DELETE \/api\/sessions?|GET \/api\/events)$/.test(key);
const isOpen = (key: string) => gateway.routes[key]?.scope === "anyone";
const changes = () => keys.filter((key) => !key.startsWith("GET"));

describe("every route", () => {
  test("refuses missing credentials, an agent's token and an invented session, and reveals nothing", async () => {
    const outsiders: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${gateway.agentToken}` },
      { authorization: `Bearer ${newToken("biplane_p_")}` },
      { authorization: "Basic YWRhOmFkYQ==" },
      { cookie: `biplane=${"A".repeat(43)}` },
      { ...ada, authorization: `Bearer ${gateway.agentToken}` },
    ];
    expect(keys.length).toBeGreaterThan(50);
    for (const key of keys.filter((each) => !isOpen(each)))
      for (const headers of outsiders) {
        const { status, json } = await gateway.ask(lineOf(key), key.startsWith("GET") ? undefined : {}, headers);
        expect([key, status, json]).toEqual([key, 401, { error: "UNAUTHORIZED", message: "Sign in first." }]);
      }
  });

  test("refuses another site's page, also with the person's own cookie", async () => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: gateway.url.replace("127.0.0.1", "app.localhost") },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const key of keys)
      for (const headers of foreign) {
        const status = await send(lineOf(key), { ...ada, ...headers, "content-type": "application/json" });
        expect([key, headers, status]).toEqual([key, headers, 403]);
      }
    expect(await send("GET /api/session", { ...ada, origin: gateway.url, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  test("that changes something refuses what a form could send", async () => {
    for (const key of changes())
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
        expect([key, type, await send(lineOf(key), { cookie: ada.cookie, "content-type": type })]).toEqual([
          key,
          type,
          403,
        ]);
  });

  test("refuses a person who lacks its scope, and says which", async () => {
    await gateway.join("nobody-much", []);
    const poor = await gateway.logIn("nobody-much");
    for (const key of keys) {
      const scope = gateway.routes[key]?.scope ?? "";
      if (scope === "anyone" || scope === "person") continue;
      const { status, json } = await gateway.ask(lineOf(key), key.startsWith("GET") ? undefined : {}, poor);
      expect([key, status, json["message"]]).toEqual([key, 403, `nobody-much lacks the scope ${scope}.`]);
    }
  });

  test("that takes a body refuses one that is not an object, has an unknown member, or is huge", async () => {
    for (const key of changes()) {
      const { body } = operations[key] ?? {};
      if (!body || isAside(key)) continue;
      for (const wrong of ["{", "[]", '"x"', "7", '{"junk":1}', '{"__proto__":{"x":1}}']) {
        const { status, json } = await gateway.ask(lineOf(key, "hello"), wrong, ada);
        // What is not there cannot be given a wrong body.
        expect([key, wrong, [400, 404].includes(status) || `${status} ${JSON.stringify(json)}`]).toEqual([
          key,
          wrong,
          true,
        ]);
      }
      const huge = await gateway.ask(lineOf(key), JSON.stringify({ junk: "x".repeat(1_100_000) }), ada);
      expect([key, huge.status]).toEqual([key, 400]);
      const deep = await gateway.ask(lineOf(key), `${"[".repeat(20_000)}${"]".repeat(20_000)}`, ada);
      expect([key, deep.status]).toEqual([key, 400]);
    }
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("refuses a query key that it does not declare, and suggests the one that was meant", async () => {
    for (const key of keys) {
      if (isAside(key)) continue;
      const { status, json } = await gateway.ask(`${lineOf(key)}?junk=1`, key.startsWith("GET") ? undefined : {}, ada);
      expect([key, status, json["error"]]).toEqual([key, 400, "INVALID_INPUT"]);
      expect(json["message"]).toMatch(/^junk is not a known key; /);
    }
    const { json } = await gateway.ask("GET /api/calls?rout=mcp", undefined, ada);
    expect(json["message"]).toBe("rout is not a known key; did you mean route?");
  });

  test("that is a list holds to its bounds", async () => {
    const lists = keys.filter((key) => operations[key]?.query?.properties["limit"]);
    expect(lists.length).toBeGreaterThan(10);
    for (const key of lists) {
      // The comparison needs runs too.
      if (key.includes(":") || key === "GET /api/run-comparison") continue;
      for (const limit of ["0", "1001", "-1", "1.5", "x", "1e3", "", "99999999999999999999", "٣"]) {
        const { status } = await gateway.ask(`${key}?limit=${encodeURIComponent(limit)}`, undefined, ada);
        expect([key, limit, status]).toEqual([key, limit, 400]);
      }
      const one = await gateway.ask(`${key}?limit=1`, undefined, ada);
      const [things = []] = Object.values(one.json).filter(Array.isArray) as unknown[][];
      expect([key, one.status, things.length <= 1, "next" in one.json]).toEqual([key, 200, true, true]);
    }
  });

  test("with an enum accepts only its members", async () => {
    for (const [key, { query }] of Object.entries(operations)) {
      for (const [name, schema] of Object.entries(query?.properties ?? {})) {
        if (!("enum" in schema) || key.includes(":")) continue;
        const { status, json } = await gateway.ask(`${key}?${name}=sideways`, undefined, ada);
        expect([key, name, status, json["error"]]).toEqual([key, name, 400, "INVALID_INPUT"]);
      }
    }
  });
});

const hostile = [
  "../../../etc/passwd",
  "..%2f..%2f",
  "\u0000",
  "a\r\nset-cookie: x=y",
  "<script>alert(1)</script>",
  "\u202Eexe.\u202C",
  "\u001B[2J",
  "'; drop table records; --",
  "__proto__",
  "constructor",
  "%",
  "\uD800",
  "💥".repeat(500),
  "x".repeat(5000),
  `\${REFERRED}`,
];

describe("hostile text", () => {
  test("in a path or a query causes no fault, sets no header and reveals no secret", async () => {
    for (const key of keys) {
      if (isAside(key)) continue;
      for (const word of hostile) {
        const written = encodeURIComponent(Buffer.from(word).toString());
        const names = Object.keys(operations[key]?.query?.properties ?? {});
        const query = key.startsWith("GET") ? `?${names.map((name) => `${name}=${written}`).join("&")}` : "";
        const answer = await gateway.ask(lineOf(key).replaceAll("/x", `/${written}`) + query, undefined, ada);
        expect([key, word.slice(0, 40), answer.status < 500]).toEqual([key, word.slice(0, 40), true]);
        expect(answer.headers.get("content-type") ?? "application/json").toBe("application/json");
        for (const secret of [stored, referred, passphrase]) expect(answer.text).not.toContain(secret);
      }
    }
  });

  test("as the members of a body is refused or stored unchanged", async () => {
    const bodies = changes().filter(
      (key) => operations[key]?.body && !isAside(key) && !/setup|session|passphrase/.test(key),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bodies), fc.constantFrom(...hostile), fc.json(), async (key, word, value) => {
        const members = memberNames(key);
        const body = Object.fromEntries(members.map((name, at) => [name, at % 2 === 0 ? word : JSON.parse(value)]));
        const { status, text } = await gateway.ask(lineOf(key, "hello"), JSON.stringify(body), ada);
        expect([key, status < 500 || status === 501 || status === 503 || text]).toEqual([key, true]);
      }),
      { numRuns: process.env["BIPLANE_SOAK"] ? 5000 : 150 },
    );
  });

  test("in a header is no credential", async () => {
    for (const cookie of [
      "biplane=",
      `biplane=${"x".repeat(6000)}`,
      "biplane=../..",
      `biplane="${ada.cookie}"`,
      ";;;;=",
      "__proto__=1",
    ])
      expect((await gateway.ask("GET /api/session", undefined, { cookie })).status).toBe(401);
  });
});

test("every response forbids caching, framing and content sniffing", async () => {
  for (const key of keys) {
    if (isAside(key)) continue;
    const { headers } = await gateway.ask(lineOf(key), key.startsWith("GET") ? undefined : {}, ada);
    expect([key, headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
      key,
      "no-store",
      "nosniff",
    ]);
    expect([key, headers.get("content-security-policy")]).toEqual([key, expect.stringContaining("default-src 'none'")]);
    expect([key, headers.get("access-control-allow-origin")]).toEqual([key, null]);
  }
});

test("none of these requests was reported as a fault", () => {
  expect(gateway.faults).toEqual([]);
});

/** What a body may hold, from its description. */
function memberNames(key: string): string[] {
  const found = new Set<string>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { properties = {}, anyOf = [] } = schema as { properties?: object; anyOf?: unknown[] };
    for (const name of Object.keys(properties)) found.add(name);
    anyOf.forEach(walk);
  };
  walk(operations[key]?.body);
  return found.size > 0
    ? [...found]
    : ["ids", "verdict", "scope", "reason", "server", "tool", "input", "via", "episode"];
}
