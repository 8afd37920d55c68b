import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminApi } from "../../packages/biplane/src/admin/contract.ts";
import { scopes } from "../../packages/biplane/src/admin/openapi/scopes.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { playAll } from "../rollout/playing.ts";
import { Checker } from "./openapi-check.ts";
import type { ApiDocument } from "./openapi-check.ts";
import { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import { openOidcProvider } from "../support/oidc-provider.ts";
import { openGateway, passphrase } from "./openapi-server.ts";
import type { Gateway, Json } from "./openapi-server.ts";

const hello = "# @description: Greets\ndef main(): return 1\n";
let gateway: Gateway;
let document: ApiDocument;
let checker: Checker;
let ada: Record<string, string>;

beforeAll(async () => {
  gateway = await openGateway({ scripts: { hello }, config: "name: gateway\n" });
  ada = await gateway.logIn();
  document = (await gateway.ask("GET /api/openapi.json", undefined, ada)).json as ApiDocument;
  checker = new Checker(document);
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe("the description", () => {
  test("describes every route, and no route that does not exist", () => {
    expect(Object.keys(adminApi).sort()).toEqual(Object.keys(gateway.routes).sort());
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(described.sort()).toEqual(Object.keys(gateway.routes).sort());
  });

  test("is OpenAPI 3.1 to a public validator, every reference leads somewhere, every schema is one", async () => {
    expect(document["openapi"]).toBe("3.1.0");
    expect(await checker.documentFaults()).toEqual([]);
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const names = new Set(Array.from(refs, ([, name = ""]) => name));
    expect([...names].filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(Object.keys(document.components.schemas).filter((name) => !names.has(name))).toEqual([]);
    for (const name of Object.keys(document.components.schemas))
      expect(() => checker.check(`schema ${name}`, { $ref: `#/components/schemas/${name}` }, null)).not.toThrow();
  });

  test("gives each route its parameters, its scope and a name of its own", () => {
    const ids = new Set<string>();
    for (const [key, { scope }] of Object.entries(gateway.routes)) {
      const { operationId, parameters = [], security } = checker.operation(key);
      expect(ids.has(operationId)).toBe(false);
      ids.add(operationId);
      const inPath = parameters.filter((each) => each.in === "path").map(({ name }) => name);
      expect(inPath).toEqual(Array.from(key.matchAll(/:(\w+)/g), ([, name]) => name));
      const needed = scope === "person" ? [] : [scope];
      expect(security).toEqual(scope === "anyone" ? [] : [{ cookie: needed }, { bearer: needed }]);
    }
    const known = new Set(Object.values(gateway.routes).map(({ scope }) => scope));
    expect([...known].filter((scope) => scope !== "person" && scope !== "anyone").sort()).toEqual(
      Object.keys(scopes).sort(),
    );
  });

  test("is for people who are logged in", async () => {
    expect((await gateway.ask("GET /api/openapi.json")).status).toBe(401);
  });
});

describe("what the server answers", () => {
  const visited = new Set<string>();

  /** Goes there, and holds the answer against the description. */
  async function visit(key: string, to: Json = {}, more: { body?: unknown; query?: string; as?: Json } = {}) {
    const path = key.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(to[name])));
    if (more.body !== undefined) expect(checker.bodyFaults(key, more.body)).toEqual([]);
    const headers = (more.as ?? ada) as Record<string, string>;
    const answer = await gateway.ask(path + (more.query ?? ""), more.body, headers);
    const told = answer.text === "" ? undefined : (JSON.parse(answer.text) as unknown);
    expect([key, answer.status, checker.faults(key, answer.status, told)]).toEqual([key, answer.status, []]);
    if (answer.status < 300) visited.add(key);
    return answer;
  }
  const refund = async (amount: number) => gateway.ask("POST /mcp/execute", { tool: "refund", arguments: { amount } });

  test("about the person, their tokens and the secrets", async () => {
    await visit("GET /api/openapi.json");
    await visit("GET /api/setup");
    await visit("POST /api/session", {}, { body: { name: "ada", passphrase: "not it, whatever it is" } });
    const { headers, json: said } = await visit("POST /api/session", {}, { body: { name: "ada", passphrase }, as: {} });
    const mine = { cookie: (headers.get("set-cookie") ?? "").split(";")[0], "x-biplane": said["key"] };
    await visit("GET /api/session", {}, { as: mine });
    const next = { current: passphrase, passphrase: "quite another passphrase now" };
    await visit("PUT /api/passphrase", {}, { body: next, as: mine });
    ada = { cookie: "", "x-biplane": "" };
    await gateway.people.setPassphrase({ name: "ada", passphrase });
    ada = await gateway.logIn();
    const { json } = await visit("POST /api/tokens", {}, { body: { label: "test" } });
    await visit("GET /api/tokens");
    await visit("DELETE /api/tokens/:id", { id: json["id"] });
    await visit("DELETE /api/tokens/:id", { id: json["id"] });
    await visit("PUT /api/secrets/:name", { name: "NEW" }, { body: { value: "something secret" } });
    await visit("GET /api/secrets");
    await visit("GET /api/secrets/:name", { name: "NEW" });
    await visit("DELETE /api/secrets/:name", { name: "NEW" });
    await visit("DELETE /api/session", {}, { as: await gateway.logIn() });
    await gateway.join("bob", []);
    const last = await visit("DELETE /api/sessions", {}, { as: await gateway.logIn("bob") });
    expect(last.status).toBe(204);
  });

  test("about people of an OpenID provider", async () => {
    await using provider = await openOidcProvider({ sub: "1", preferred_username: "grace" });
    const { issuer, clientId, clientSecret } = provider;
    const signIn = new OidcSignIn({ issuer, clientId, clientSecret, defaultRole: "viewer" });
    await using other = await openGateway({ provider: signIn });
    const begun = await other.ask("POST /api/session/oidc", {});
    expect(checker.faults("POST /api/session/oidc", begun.status, begun.json)).toEqual([]);
    const { url, ...attempt } = begun.json as Record<string, string>;
    const back = (await fetch(url ?? "", { redirect: "manual" })).headers.get("location") ?? "";
    const { status, json } = await other.ask("PUT /api/session/oidc", { ...attempt, search: new URL(back).search });
    expect([status, checker.faults("PUT /api/session/oidc", status, json)]).toEqual([200, []]);
    visited.add("POST /api/session/oidc").add("PUT /api/session/oidc");
  });

  test("about the first person", async () => {
    await using fresh = await openGateway();
    await fresh.people.remove("ada");
    const code = await fresh.people.setupCode();
    const wrong = await fresh.ask("POST /api/setup", { code: "x", name: "ada", passphrase });
    expect(checker.faults("POST /api/setup", wrong.status, wrong.json)).toEqual([]);
    const { status, json } = await fresh.ask("POST /api/setup", { code, name: "eve", passphrase });
    expect([status, checker.faults("POST /api/setup", status, json)]).toEqual([200, []]);
    visited.add("POST /api/setup");
  });

  test("about approvals, scripts and the log", async () => {
    for (const amount of [1, 2]) await refund(amount);
    const { json } = await visit("GET /api/approvals", {}, { query: "?status=waiting&limit=1" });
    const [{ id = "" } = {}] = json["approvals"] as Json[];
    await visit("GET /api/approvals/:id", { id });
    await visit("GET /api/approvals/:id/previous", { id });
    await visit(
      "POST /api/approvals/answer",
      {},
      { body: { ids: [id], verdict: "approve", scope: { kind: "always" } } },
    );
    const rest = await visit("GET /api/approvals", {}, { query: "?status=waiting" });
    const [{ id: other = "" } = {}] = rest.json["approvals"] as Json[];
    await visit("GET /api/approvals/:id/previous", { id: other });
    await visit("POST /api/approvals/answer", {}, { body: { ids: [other], verdict: "reject", reason: "no" } });
    const grants = (await visit("GET /api/grants")).json["grants"] as Json[];
    await visit("GET /api/grants/:id", { id: grants[0]?.["id"] });
    await visit("GET /api/grants/:id", { id: "none" });
    await visit("DELETE /api/grants/:id", { id: grants[0]?.["id"] });
    const hash = createHash("sha256").update(hello).digest("hex");
    await visit("POST /api/scripts/:name/run", { name: "hello" }, { body: { input: [] } });
    await visit("POST /api/scripts/:name/verdict", { name: "hello" }, { body: { verdict: "approve", hash } });
    await visit(
      "POST /api/scripts/:name/verdict",
      { name: "hello" },
      { body: { verdict: "approve", hash: "0".repeat(64) } },
    );
    await visit("POST /api/scripts/:name/run", { name: "hello" }, { body: { live: true } });
    await visit("GET /api/scripts");
    await visit("GET /api/scripts/:name", { name: "hello" });
    await visit("GET /api/scripts/:name", { name: "nothing" });
    await visit("GET /api/settings");
    await visit("GET /api/people");
    await visit("POST /api/people", {}, { body: { name: "cyd", passphrase, scopes: ["calls"] } });
    await visit("PUT /api/people/:name", { name: "cyd" }, { body: { role: "viewer" } });
    await visit("DELETE /api/people/:name", { name: "cyd" });
    const invited = await visit("POST /api/invitations", {}, { body: { role: "viewer" } });
    await visit("GET /api/invitations");
    await visit("POST /api/invitations/read", {}, { body: { key: invited.json["key"] }, as: {} });
    await visit(
      "POST /api/invitations/accept",
      {},
      { body: { key: invited.json["key"], name: "dan", passphrase }, as: {} },
    );
    const second = await visit("POST /api/invitations", {}, { body: { scopes: ["runs:read"], days: 1 } });
    await visit("DELETE /api/invitations/:id", { id: second.json["id"] });
    const made = await visit("POST /api/access-tokens", {}, { body: { principal: "bot" } });
    const { id: token } = made.json["info"] as Json;
    await visit("GET /api/access-tokens");
    await visit("PUT /api/access-tokens/:id", { id: token }, { body: { scopes: ["crm:read"] } });
    await visit("POST /api/access-tokens/:id/rotate", { id: token });
    await visit("DELETE /api/access-tokens/:id", { id: token });
    await gateway.audit.flush();
    const { lines } = (await visit("GET /api/audit", {}, { query: "?limit=1000" })).json as { lines: Json[] };
    expect(lines.length).toBeGreaterThan(20);
    await visit("GET /api/audit/verify");
    await visit("GET /api/audit/state");
  });

  test("about what is served, called and connected", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const accept = { accept: "application/json, text/event-stream" };
    await gateway.ask("POST /mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params }, accept);
    const { connections } = (await visit("GET /api/connections")).json as { connections: Json[] };
    await visit("DELETE /api/connections/:id", { id: connections[0]?.["id"] });
    await visit("GET /api/fleet");
    await visit("GET /api/clients");
    await visit("GET /api/search", {}, { query: "?query=echo" });
    await visit("GET /api/statistics", {}, { query: "?range=1h" });
    await visit("GET /api/overview");
    await visit("GET /api/tools");
    const request = { server: "gateway", tool: "echo", input: { text: "hi" }, via: ["mcp-2026-07-28", "execute"] };
    await visit("POST /api/calls", {}, { body: request });
    await visit("POST /api/calls", {}, { body: { ...request, tool: "nothing" } });
    const { calls } = (await visit("GET /api/calls")).json as { calls: Json[] };
    await visit("GET /api/calls/:id", { id: calls[0]?.["id"] });
    await visit("GET /api/calls/:id", { id: "nothing" });
    const resource = await visit("GET /api/resource", {}, { query: "?server=gateway&uri=nothing://here" });
    expect(resource.status).toBeGreaterThanOrEqual(400);
    await visit("GET /api/resource", {}, { query: `?server=gateway&uri=${encodeURIComponent("note://one")}` });
  });

  test("about episodes, runs and traces", async () => {
    const begun = await visit("POST /api/episodes", {}, { body: { server: "frozen-lake", seed: 42 } });
    const { id } = begun.json as { id: string };
    await visit("POST /api/episodes/:id/calls", { id }, { body: { tool: "lake_move", input: { action: "DOWN" } } });
    await visit("POST /api/episodes/:id/calls", { id }, { body: { tool: "lake_move", input: { action: "UP?" } } });
    await visit("GET /api/episodes/:id", { id });
    await visit("POST /api/episodes/:id/fork", { id });
    await visit("GET /api/episodes");
    await visit("DELETE /api/episodes/:id", { id });
    await visit("DELETE /api/episodes/:id", { id });
    const played = await playAll(gateway.lake, seedRows([42, 7]), {
      agent: randomAgent(),
      steps: 4,
      store: gateway.store,
    });
    expect(played).toHaveLength(2);
    await playAll(gateway.lake, seedRows([42]), { agent: randomAgent(), steps: 4, store: gateway.store, run: "other" });
    const { runs } = (await visit("GET /api/runs", {}, { query: "?order=started" })).json as { runs: Json[] };
    await visit("GET /api/run-filters");
    await visit("PATCH /api/runs/:id", { id: runs[0]?.["id"] }, { body: { name: "first", tags: ["a"] } });
    await visit("GET /api/run-comparison", {}, { query: `?runs=${String(runs[0]?.["id"])},other` });
    await visit("DELETE /api/runs/:id", { id: "other" });
    await visit("GET /api/runs/:id", { id: runs[0]?.["id"] });
    const { traces } = (await visit("GET /api/runs/:id/traces", { id: runs[0]?.["id"] })).json as { traces: Json[] };
    const [left, right] = traces.map((trace) => String(trace["id"]));
    const written = await visit("POST /api/traces/:id/annotations", { id: left }, { body: { text: "good" } });
    await visit("GET /api/traces/:id", { id: left });
    const { id: annotation } = written.json;
    await visit("DELETE /api/traces/:id/annotations/:annotation", { id: left, annotation });
    await visit("GET /api/traces/:id", { id: "nothing" });
    const { next } = (await visit("GET /api/traces/:id/neighbours", { id: left }, { query: "?order=index" })).json;
    expect(next).toBe(right);
    await visit(
      "GET /api/compare",
      {},
      { query: `?left=${encodeURIComponent(left ?? "")}&right=${encodeURIComponent(right ?? "")}` },
    );
    await visit("POST /api/traces/:id/replay", { id: left }, { body: { steps: 2 } });
  });

  test("as events", async () => {
    const seen = new Map<string, unknown>();
    const all = new Promise<void>((resolve, reject) => {
      const sent = request(`${gateway.url}/api/events`, { headers: ada }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          for (const [, event = "", data = ""] of text.matchAll(/event: (.*)\ndata: (.*)\n\n/g))
            seen.set(event, JSON.parse(data));
          if (!["figures", "calls", "approvals"].every((event) => seen.has(event))) return;
          sent.destroy();
          resolve();
        });
        response.on("error", () => undefined);
        void refund(10).then(() => refund(11));
      });
      sent.on("error", reject);
      sent.end();
    });
    await all;
    for (const [event, data] of seen) expect(checker.eventFaults("GET /api/events", event, data)).toEqual([]);
    visited.add("GET /api/events");
  });

  test("about notifications, the links in them and assignments", async () => {
    await refund(901);
    const token = await gateway.governance.newestToken();
    const [waiting] = await gateway.approvals.list({ status: "waiting", limit: 1 });
    const id = waiting?.id ?? "";
    await visit("GET /api/approvers");
    await visit("GET /api/destructive-tools");
    await visit("POST /api/approvals/assign", {}, { body: { ids: [id], to: "ada" } });
    await visit("POST /api/approvals/assign", {}, { body: { ids: [id], to: "nobody-of-this-name" } });
    await visit("POST /api/approvals/assign", {}, { body: { ids: [id], to: null } });
    await visit("GET /api/approvals/:id/calls", { id });
    await visit("GET /api/approvals/:id/calls", { id: "none" });
    await visit("POST /api/answer-links/open", {}, { body: { token }, as: {} });
    await visit("POST /api/answer-links/open", {}, { body: { token: "made up" }, as: {} });
    await visit("POST /api/answer-links/answer", {}, { body: { token, verdict: "approve", comment: "ok" }, as: {} });
    await visit("POST /api/answer-links/answer", {}, { body: { token, verdict: "approve" }, as: {} });
    expect((await visit("GET /api/notifications")).json["targets"]).toMatchObject([{ name: "phone" }]);
    await visit("POST /api/notifications/:name/test", { name: "phone" });
  });

  test("about the policies", async () => {
    const draft = "- { name: small, tool: refund, arguments: { amount: { max: 5 } }, deny: Too small }";
    const { json } = await visit("GET /api/calls", {}, { query: "?tool=refund" });
    const id = (json["calls"] as { id: string }[])[0]?.id;
    await visit("GET /api/policies");
    await visit("POST /api/policies/test", {}, { body: { call: id } });
    await visit("POST /api/policies/test", {}, { body: { tried: { tool: "refund" }, draft } });
    await visit("POST /api/policies/test", {}, { body: {} });
    await visit("POST /api/policies/dry-run", {}, { body: { draft } });
    await visit("POST /api/policies/dry-run", {}, { body: { draft: "- { tol: x }" } });
    await visit("POST /api/policies/publish", {}, { body: { draft, base: 0, comment: "first" } });
    await visit("POST /api/policies/publish", {}, { body: { draft, base: 0 } });
    await visit("GET /api/policies");
    expect((await visit("GET /api/policies/versions")).json["versions"]).toMatchObject([{ version: 1 }]);
  });

  test("was checked for every route", () => {
    expect(Object.keys(gateway.routes).filter((key) => !visited.has(key))).toEqual([]);
    expect(gateway.faults).toEqual([]);
  });
});

test("docs/api.md has a row for every route, with its scope and what it is for", () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `(GET|POST|PUT|PATCH|DELETE) /.test(line));
  const cells = rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  const expected = Object.entries(adminApi).map(([key, { summary }]) => {
    const scope = gateway.routes[key]?.scope ?? "";
    const shown = scope === "anyone" ? "" : scope === "person" ? "any" : `\`${scope}\``;
    return [`\`${key}\``, shown, summary];
  });
  expect(cells).toEqual(expected);
  const words = page.split("\n").filter((line) => /^\| `[a-z-]+` /.test(line));
  expect(
    words.map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    ),
  ).toEqual(Object.entries(scopes).map(([scope, meaning]) => [`\`${scope}\``, meaning]));
});
