import { describe, expect, test } from "vitest";
import { ask as askPerson, environment, tool } from "biplane";
import { bearerTokens } from "../../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { newToken } from "../../../packages/biplane/src/governance/access/token.ts";
import { adminApiHandler } from "../../../packages/biplane/src/admin/http/api-handler.ts";
import { exchange, open as connect, firstData } from "../../support/raw-http.ts";
import { openGateway, passphrase } from "./api-server.ts";
import type { Json } from "./api-server.ts";

const ada = { name: "ada", passphrase };
const routes = [
  "GET /api/session",
  "DELETE /api/session",
  "DELETE /api/sessions",
  "PUT /api/passphrase",
  "GET /api/tokens",
  "POST /api/tokens",
  "DELETE /api/tokens/x",
  "GET /api/secrets",
  "GET /api/secrets/X",
  "PUT /api/secrets/X",
  "DELETE /api/secrets/X",
  "GET /api/approvals",
  "GET /api/approvals/x",
  "POST /api/approvals/answer",
  "GET /api/grants",
  "GET /api/grants/x",
  "DELETE /api/grants/x",
  "GET /api/audit",
  "GET /api/nothing",
  "GET /api",
];

describe("logging in", () => {
  test("gives a cookie that no script and no other site can use, and it is good until logging out", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const response = await gateway.ask("POST /api/session", ada);
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({ name: "ada", scopes: ["*"] });
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^biplane=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
    const mine = { cookie: cookie.split(";")[0] ?? "", "x-biplane": String(response.json["key"]) };
    const alone = { cookie: mine.cookie };
    expect((await gateway.ask("GET /api/session", undefined, alone)).status).toBe(401);
    expect((await gateway.ask("GET /api/session", undefined, mine)).json).toMatchObject({ name: "ada" });
    const out = await gateway.ask("DELETE /api/session", undefined, mine);
    expect(out.status).toBe(204);
    expect(out.headers.get("set-cookie")).toMatch(/^biplane=; Max-Age=0/);
    expect((await gateway.ask("GET /api/session", undefined, mine)).status).toBe(401);
  });

  test("over https the cookie is for this host and https only", async () => {
    await using gateway = await openGateway({ serve: { publicUrl: "https://tools.example.com" } });
    await gateway.people.add(ada);
    const headers = { origin: "https://tools.example.com", "sec-fetch-site": "same-origin" };
    const response = await gateway.ask("POST /api/session", ada, headers);
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-biplane=[\w-]{43};.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    const key = { "x-biplane": String(response.json["key"]) };
    expect((await gateway.ask("GET /api/session", undefined, { cookie, ...key })).status).toBe(200);
    const tossed = cookie.replace("__Host-", "");
    expect((await gateway.ask("GET /api/session", undefined, { cookie: tossed, ...key })).status).toBe(401);
  });

  test("a wrong passphrase is a 401 without a cookie, and too many are a 429 with Retry-After", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const wrong = { name: "ada", passphrase: "not the passphrase of ada" };
    for (let at = 0; at < 5; at++) {
      const response = await gateway.ask("POST /api/session", wrong);
      expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
      expect(response.json).toEqual({ error: "UNAUTHORIZED", message: "The name or the passphrase is wrong." });
    }
    const limited = await gateway.ask("POST /api/session", ada);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  });

  test("again replaces the session, and logging out everywhere ends them all", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const first = await gateway.logIn();
    const again = await gateway.ask("POST /api/session", ada, first);
    expect((await gateway.ask("GET /api/session", undefined, first)).status).toBe(401);
    const second = sessionOf(again);
    const third = await gateway.logIn();
    expect((await gateway.ask("DELETE /api/sessions", undefined, second)).status).toBe(204);
    expect((await gateway.ask("GET /api/session", undefined, third)).status).toBe(401);
  });

  test("a new passphrase needs the old one, and ends every other session", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const [mine, other] = [await gateway.logIn(), await gateway.logIn()];
    const next = "something quite different now";
    const wrong = await gateway.ask("PUT /api/passphrase", { current: "not it, not at all", passphrase: next }, mine);
    expect(wrong.status).toBe(403);
    const changed = await gateway.ask("PUT /api/passphrase", { current: passphrase, passphrase: next }, mine);
    expect(changed.status).toBe(200);
    expect((await gateway.ask("GET /api/session", undefined, sessionOf(changed))).status).toBe(200);
    expect((await gateway.ask("GET /api/session", undefined, mine)).status).toBe(401);
    expect((await gateway.ask("GET /api/session", undefined, other)).status).toBe(401);
  });

  test.each<[string, unknown]>([
    ["no JSON", "{"],
    ["a list", []],
    ["numbers", { name: 1, passphrase: 2 }],
    ["nothing", undefined],
    ["an unknown key", { ...ada, remember: true }],
    ["nesting", `${"[".repeat(5000)}${"]".repeat(5000)}`],
    ["half a character", '{"name":"ada","passphrase":"\\ud800 and more of it"}'],
    ["two megabytes", { name: "ada", passphrase: "x".repeat(2_000_000) }],
    ["a passphrase without end", { name: "ada", passphrase: "x".repeat(500_000) }],
  ])("with %s is a clear 400, and nothing breaks", async (_, body) => {
    await using gateway = await openGateway();
    const response = await gateway.ask("POST /api/session", body);
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ error: "INVALID_INPUT" });
    expect(gateway.faults).toEqual([]);
  });
});

describe("the first person", () => {
  test("is created with the code from the terminal; no other route is open before or after", async () => {
    await using gateway = await openGateway();
    expect((await gateway.ask("GET /api/setup")).json).toEqual({ needed: true, provider: null });
    const eve = { name: "eve", passphrase: "let me in, I am the first" };
    for (const body of [eve, { ...eve, code: "" }, { ...eve, code: "AAAAA-AAAAA-AAAAA-AAAAA" }])
      expect([400, 401]).toContain((await gateway.ask("POST /api/setup", body)).status);
    const code = await gateway.people.setupCode();
    const response = await gateway.ask("POST /api/setup", { ...ada, code });
    expect(response.status).toBe(200);
    expect((await gateway.ask("GET /api/secrets", undefined, sessionOf(response))).status).toBe(200);
    expect((await gateway.ask("GET /api/setup")).json).toEqual({ needed: false, provider: null });
    expect((await gateway.ask("POST /api/setup", { ...eve, code })).status).toBe(401);
    expect((await gateway.people.list()).map(({ name }) => name)).toEqual(["ada"]);
  });
});

describe("credentials", () => {
  const agent = newToken("biplane_t_");
  const trainer = newToken("biplane_t_");
  const authenticate = bearerTokens([
    { id: "agent", token: agent, scopes: ["*", "secrets", "approvals", "audit", "person"] },
    { id: "gym", token: trainer, kind: "trainer", scopes: ["*"] },
  ]);
  test.each([
    ["nothing", {}],
    ["an agent's token, whatever its scopes", { authorization: `Bearer ${agent}` }],
    ["a trainer's token", { authorization: `Bearer ${trainer}` }],
    ["an invented session", { cookie: `biplane=${"A".repeat(43)}` }],
    ["an invented token", { authorization: `Bearer ${newToken("biplane_p_")}` }],
  ])("%s gets no response from the admin API", async (_, headers) => {
    await using gateway = await openGateway({ serve: { authenticate } });
    for (const route of routes) {
      const response = await gateway.ask(route, route.startsWith("GET") ? undefined : {}, headers);
      expect([route, response.status]).toEqual([route, 401]);
      expect(response.json).toEqual({ error: "UNAUTHORIZED", message: "Sign in first." });
    }
    const inPath = await gateway.ask(`GET /k/${trainer}/api/secrets`);
    expect(inPath.status).toBe(404);
  });

  test("the admin API wants credentials even where agents need none", async () => {
    await using gateway = await openGateway();
    expect((await gateway.ask("GET /mcp/capabilities")).status).toBe(200);
    expect((await gateway.ask("GET /api/secrets")).status).toBe(401);
  });

  test("a person's cookie or token is refused by the endpoints of agents and trainers", async () => {
    const game = environment({
      name: "game",
      version: "1",
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => "went" }) }),
    });
    await using gateway = await openGateway({ serve: { authenticate } });
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    const { token } = await gateway.people.newToken("ada");
    const { url } = await game.serve({
      url: "http://127.0.0.1:0",
      authenticate,
      people: adminApiHandler({ people: gateway.people }),
    });
    for (const headers of [cookie, { authorization: `Bearer ${token}` }]) {
      expect((await fetch(`${url}/api/session`, { headers })).status).toBe(200);
      for (const path of ["/mcp/capabilities", "/state", "/control/episodes", "/e/x/mcp"])
        expect([path, (await fetch(url + path, { headers })).status]).toEqual([path, 401]);
    }
    expect((await fetch(`${url}/k/${token}/state`)).status).toBe(401);
    await game.close();
  });

  test("a token for programs works without a cookie, and a valid cookie does not make up for a wrong token", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    const made = await gateway.ask("POST /api/tokens", { label: "cli", days: 7 }, cookie);
    expect(made.status).toBe(201);
    const { token, id } = made.json as { token: string; id: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await gateway.ask("GET /api/session", undefined, headers)).json).toMatchObject({
      name: "ada",
      scopes: ["*"],
    });
    const listed = await gateway.ask("GET /api/tokens", undefined, headers);
    expect(listed.json).toMatchObject({ tokens: [{ id, label: "cli" }], next: null });
    expect(listed.text).not.toContain(token);
    expect((await gateway.ask("GET /api/session", undefined, { ...cookie, authorization: "Bearer x" })).status).toBe(
      401,
    );
    expect((await gateway.ask(`DELETE /api/tokens/${id}`, undefined, cookie)).status).toBe(204);
    expect((await gateway.ask("GET /api/session", undefined, headers)).status).toBe(401);
    for (const days of [0, -1, 1e9, "x"])
      expect((await gateway.ask("POST /api/tokens", { days }, cookie)).status).toBe(400);
  });

  test("two cookies of our name are refused, because one is another program's", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const { cookie, ...key } = await gateway.logIn();
    const twice = { ...key, cookie: `biplane=${"A".repeat(43)}; ${cookie}` };
    expect((await gateway.ask("GET /api/session", undefined, twice)).status).toBe(401);
    const among = { ...key, cookie: `other=1; ${cookie}; x=y` };
    expect((await gateway.ask("GET /api/session", undefined, among)).status).toBe(200);
  });

  test("a person can use only the routes of their scopes", async () => {
    await using gateway = await openGateway();
    await gateway.people.add({ ...ada, scopes: ["audit"] });
    const cookie = await gateway.logIn();
    expect((await gateway.ask("GET /api/audit", undefined, cookie)).status).toBe(200);
    expect((await gateway.ask("GET /api/session", undefined, cookie)).status).toBe(200);
    for (const route of ["GET /api/secrets", "GET /api/approvals", "GET /api/grants"]) {
      const response = await gateway.ask(route, undefined, cookie);
      expect(response.status).toBe(403);
      expect(response.json["message"]).toMatch(/lacks the scope (secrets|approvals)/);
    }
  });
});

describe("other sites", () => {
  test.each<[string, Record<string, string>]>([
    ["a page from elsewhere", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null" }],
    ["a page on another port of this machine, which counts as the same site", { origin: "http://127.0.0.1:3000" }],
    ["what the browser says is another site", { "sec-fetch-site": "cross-site" }],
    ["what the browser says is only the same site", { "sec-fetch-site": "same-site" }],
  ])("%s changes nothing and reads nothing, even with the person's cookie", async (_, headers) => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    for (const [path, body] of [
      ["/api/secrets/TOKEN", '{"value":"planted by evil"}'],
      ["/api/session", JSON.stringify(ada)],
    ] as const) {
      const answer = await exchange(gateway.port, body, { path, headers: { ...cookie, ...headers } });
      expect(answer.status).toBe(403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    const read = await gateway.ask("GET /api/secrets", undefined, { ...cookie, ...headers });
    expect(read.status).toBe(403);
    expect(gateway.secrets.names()).toEqual([]);
  });

  test("a form cannot make a change", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    for (const type of [
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "text/plain",
      "application/jsonx",
    ]) {
      const headers = { cookie: cookie.cookie, "content-type": type };
      const body = '{"ids":["x"],"verdict":"approve"}';
      expect((await exchange(gateway.port, body, { path: "/api/approvals/answer", headers })).status).toBe(403);
    }
    const plain = { ...cookie, "content-type": "text/plain" };
    expect((await gateway.ask("DELETE /api/session", undefined, plain)).status).toBe(204);
  });

  test("requests of our own page are accepted", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const own = { origin: gateway.url, "sec-fetch-site": "same-origin" };
    expect((await gateway.ask("POST /api/session", ada, own)).status).toBe(200);
  });

  test("a WebSocket upgrade is not accepted by the admin API", async () => {
    await using gateway = await openGateway();
    const socket = await connect(gateway.port);
    socket.write(
      "GET /api/session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    expect(await firstData(socket)).toMatch(/^HTTP\/1\.1 404/);
  });

  test("responses forbid framing, caching and content sniffing", async () => {
    await using gateway = await openGateway();
    for (const route of ["GET /api/setup", "GET /api/session", "GET /api/nothing", "POST /api/session"]) {
      const { headers } = await gateway.ask(route, route.startsWith("POST") ? "{" : undefined);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("secrets", () => {
  test("can be set, and only their names are returned", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    const value = "a-value-that-nobody-may-read";
    expect((await gateway.ask("PUT /api/secrets/CRM_TOKEN", { value }, cookie)).status).toBe(204);
    expect((await gateway.ask("PUT /api/secrets/A_TOKEN", { value: `${value}-2` }, cookie)).status).toBe(204);
    expect(gateway.secrets.get("CRM_TOKEN")).toBe(value);
    const said: string[] = [];
    for (const path of ["", "?limit=1", "/CRM_TOKEN", "/NOT_THERE", "/..", "/%2e%2e", "/CRM_TOKEN/value"])
      said.push((await gateway.ask(`GET /api/secrets${path}`, undefined, cookie)).text);
    for (const body of [{ value: "short" }, { value: `${value}\ud800` }, { value, extra: value }, { value: [value] }])
      said.push((await gateway.ask("PUT /api/secrets/CRM_TOKEN", body, cookie)).text);
    said.push((await gateway.ask("PUT /api/secrets/no-name", { value }, cookie)).text);
    said.push((await gateway.ask("GET /api/audit", undefined, cookie)).text);
    expect(said[0]).toContain('"name":"CRM_TOKEN"');
    for (const text of said) expect(text).not.toContain(value);
    expect((await gateway.ask("DELETE /api/secrets/CRM_TOKEN", undefined, cookie)).status).toBe(204);
    expect((await gateway.ask("DELETE /api/secrets/CRM_TOKEN", undefined, cookie)).status).toBe(404);
    expect(gateway.secrets.get("CRM_TOKEN")).toBeUndefined();
  });

  test("lists are paged without repetitions or gaps", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    const names = Array.from({ length: 7 }, (_, at) => `SECRET_${at}`);
    for (const name of names) await gateway.secrets.set(name, `value of ${name}`);
    const seen: string[] = [];
    let next: string | null = "";
    for (let pages = 0; next !== null && pages < 10; pages++) {
      const { json } = await gateway.ask(`GET /api/secrets?limit=3&after=${next}`, undefined, cookie);
      seen.push(...(json["secrets"] as { name: string }[]).map(({ name }) => name));
      next = json["next"] as string | null;
    }
    expect(seen).toEqual(names);
    for (const limit of ["0", "-1", "1001", "x", "1e2"])
      expect((await gateway.ask(`GET /api/secrets?limit=${limit}`, undefined, cookie)).status).toBe(400);
  });
});

describe("approvals", () => {
  const refund = tool({
    name: "refund",
    input: { type: "object", properties: { amount: { type: "number" } } },
    run: ({ amount }) => ({ refunded: amount }),
  });
  const asking = { server: { tools: [refund], policies: [() => askPerson("Refund it?")] } };
  const call = async (
    gateway: { ask: (line: string, body: unknown) => Promise<{ json: Json; status: number }> },
    amount: number,
  ) => gateway.ask("POST /mcp/execute", { tool: "refund", arguments: { amount } });

  test("are seen and answered by a person, and the audit says by whom", async () => {
    await using gateway = await openGateway(asking);
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    expect((await call(gateway, 5)).status).toBe(202);
    expect((await call(gateway, 6)).status).toBe(202);
    const { json } = await gateway.ask("GET /api/approvals?status=waiting&limit=1", undefined, cookie);
    expect(json["approvals"]).toHaveLength(1);
    const rest = await gateway.ask(
      `GET /api/approvals?status=waiting&after=${String(json["next"])}`,
      undefined,
      cookie,
    );
    const all = [...(json["approvals"] as Json[]), ...(rest.json["approvals"] as Json[])];
    const five = all.find(({ input }) => (input as Json)["amount"] === 5)?.["id"] as string;
    const six = all.find(({ input }) => (input as Json)["amount"] === 6)?.["id"] as string;
    const yes = await gateway.ask("POST /api/approvals/answer", { ids: [five], verdict: "approve" }, cookie);
    expect(yes.json).toMatchObject({ approvals: [{ id: five, status: "approved" }] });
    const no = { ids: [six], verdict: "reject", reason: "too much" };
    expect((await gateway.ask("POST /api/approvals/answer", no, cookie)).status).toBe(200);
    expect((await call(gateway, 5)).json).toMatchObject({ result: { refunded: 5 } });
    expect((await call(gateway, 6)).status).toBe(403);
    expect((await gateway.ask(`GET /api/approvals/${six}`, undefined, cookie)).json).toMatchObject({
      status: "rejected",
    });
    await gateway.audit.flush();
    const audit = await gateway.ask("GET /api/audit?tool=approvals/answer&principal=ada", undefined, cookie);
    expect(audit.json["lines"]).toHaveLength(2);
  });

  test("a standing approval is a grant, which can be listed and revoked", async () => {
    await using gateway = await openGateway(asking);
    await gateway.people.add(ada);
    const cookie = await gateway.logIn();
    await call(gateway, 7);
    const { json } = await gateway.ask("GET /api/approvals", undefined, cookie);
    const [{ id } = {}] = json["approvals"] as Json[];
    await gateway.ask(
      "POST /api/approvals/answer",
      { ids: [id], verdict: "approve", scope: { kind: "always" } },
      cookie,
    );
    expect((await call(gateway, 7)).status).toBe(200);
    expect((await call(gateway, 7)).status).toBe(200);
    const grants = (await gateway.ask("GET /api/grants", undefined, cookie)).json["grants"] as Json[];
    expect(grants).toHaveLength(1);
    expect((await gateway.ask(`DELETE /api/grants/${String(grants[0]?.["id"])}`, undefined, cookie)).status).toBe(204);
    expect((await gateway.ask(`DELETE /api/grants/${String(grants[0]?.["id"])}`, undefined, cookie)).status).toBe(404);
  });

  test.each<[string, unknown]>([
    ["nobody", { ids: [], verdict: "approve" }],
    ["one twice", { ids: ["x", "x"], verdict: "approve" }],
    ["ids that are none", { ids: [1], verdict: "approve" }],
    ["no verdict", { ids: ["x"] }],
    ["another verdict", { ids: ["x"], verdict: "maybe" }],
    ["a rejection without a reason", { ids: ["x"], verdict: "reject" }],
    ["a rejection that holds", { ids: ["x"], verdict: "reject", reason: "no", scope: { kind: "always" } }],
    ["a hold of no kind", { ids: ["x"], verdict: "approve", scope: { kind: "for ever" } }],
    ["a pattern without one", { ids: ["x"], verdict: "approve", scope: { kind: "pattern" } }],
    ["a hold for the wrong ones", { ids: ["x"], verdict: "approve", scope: { kind: "always", for: "me" } }],
    ["an approval that is not there", { ids: ["x"], verdict: "approve" }],
  ])("an answer to %s is refused", async (_, body) => {
    await using gateway = await openGateway(asking);
    await gateway.people.add(ada);
    const response = await gateway.ask("POST /api/approvals/answer", body, await gateway.logIn());
    expect([400, 404]).toContain(response.status);
    expect(gateway.faults).toEqual([]);
  });
});

describe("the audit log", () => {
  test("is read in pages, newest first, and holds logins and wrong guesses, but not what was typed", async () => {
    await using gateway = await openGateway();
    await gateway.people.add(ada);
    const typo = "my passphrase in the wrong field";
    await gateway.ask("POST /api/session", { name: typo, passphrase: "whatever it is, it is wrong" });
    await gateway.ask("POST /api/session", { name: "ada", passphrase: "whatever it is, it is wrong" });
    const cookie = await gateway.logIn();
    await gateway.audit.flush();
    const lines: Json[] = [];
    let after = "";
    for (let page = 0; page < 10; page++) {
      const { json } = await gateway.ask(`GET /api/audit?limit=2${after}`, undefined, cookie);
      lines.push(...(json["lines"] as Json[]));
      if (json["next"] === null) break;
      after = `&after=${json["next"] as number}`;
    }
    const told = lines.map(({ tool, outcome, input }) => [tool, outcome, (input as Json)["name"]]);
    expect(told).toEqual([
      ["people/sign-in", "done", "ada"],
      ["people/sign-in", "UNAUTHORIZED", "ada"],
      ["people/sign-in", "UNAUTHORIZED", "nobody"],
      ["people/add", "done", "ada"],
    ]);
    expect(JSON.stringify(lines)).not.toContain(typo);
    const oldest = await gateway.ask("GET /api/audit?order=oldest&code=UNAUTHORIZED&limit=1", undefined, cookie);
    expect(oldest.json["lines"]).toMatchObject([{ sequence: 2 }]);
    const many = Array.from({ length: 4000 }, (_, at) => at).join("&");
    for (const query of ["order=sideways", "after=-1", "limit=0", many])
      expect((await gateway.ask(`GET /api/audit?${query}`, undefined, cookie)).status).toBe(400);
  });
});

test("a fault in a route is reported to the operator, not to the person", async () => {
  await using gateway = await openGateway();
  await gateway.people.add(ada);
  const broken = adminApiHandler({
    people: gateway.people,
    routes: {
      "GET /api/broken": {
        scope: "person",
        summary: "fails",
        run: () => {
          throw new Error("the password is hunter2");
        },
      },
    },
  });
  const { url } = await gateway.subject.serve({ url: "http://127.0.0.1:0", people: broken });
  const response = await fetch(`${url}/api/broken`, { headers: await gateway.logIn() });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("hunter2");
  expect(gateway.faults).toHaveLength(1);
});

test("a path that takes another method says which", async () => {
  await using gateway = await openGateway();
  await gateway.people.add(ada);
  const response = await gateway.ask("POST /api/secrets/X", {}, await gateway.logIn());
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, PUT, DELETE"]);
});

/** The headers of the session that an answer brings. */
function sessionOf({ headers, json }: { headers: Headers; json: Json }): Record<string, string> {
  return { cookie: headers.get("set-cookie")?.split(";")[0] ?? "", "x-biplane": String(json["key"]) };
}
