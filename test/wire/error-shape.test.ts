import { afterAll, beforeAll, expect, test } from "vitest";
import { BiplaneError, ask, allow, environment, server, tool } from "biplane";
import { openStore } from "biplane/store";
import type { Listening, Principal } from "biplane";
import { connect } from "biplane/client";
import { adminApiHandler } from "../../packages/biplane/src/admin/http/api-handler.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { errorCodes } from "../../packages/core/src/errors.ts";
import { cheap, passphrase } from "../admin/api/api-server.ts";

/** An agent, a trainer and a person on one port. Every refusal has the same shape. */
const principals: Readonly<Record<string, Principal>> = {
  agent: { kind: "token", id: "agent", scopes: [] },
  trainer: { kind: "trainer", id: "trainer", scopes: [] },
};
const store = await openStore(":memory:");
const people = openPeople({ store, cost: cheap });
const approvals = openApprovals({ store });
let listening: Listening;
let person = "";

beforeAll(async () => {
  const till = server({
    name: "till",
    version: "1",
    limits: false,
    approver: approvals,
    policies: [(_, name) => (name === "refund" ? ask("Refund it?") : allow())],
    tools: {
      refund: tool({ run: () => "refunded" }),
      busy: tool({
        run: () => {
          throw new BiplaneError("CAPACITY", "Come back later.", { details: { retryAfterMs: 1500 } });
        },
      }),
    },
  });
  const lake = environment({
    name: "lake",
    version: "1",
    start: () => ({}),
    observe: () => ({}),
    tools: (make) => ({ move: make({ run: () => "moved" }) }),
  });
  listening = await serve([till, lake], {
    url: "http://127.0.0.1:0",
    authenticate: ({ headers, token }) => principals[token ?? String(headers["authorization"]).replace("Bearer ", "")],
    people: adminApiHandler({ people, approvals }),
  });
  await people.add({ name: "ada", passphrase, scopes: ["secrets"] });
  person = (await people.newToken("ada", { label: "test" })).token;
});
afterAll(() => listening.close());

const refund = { tool: "refund", arguments: {} };
const control = "/env/lake/control";

test.each<[string, string, string | undefined, object | undefined, number, string]>([
  ["REST without credentials", "POST /mcp/execute", undefined, refund, 401, "UNAUTHORIZED"],
  ["REST for an unknown tool", "POST /mcp/execute", "agent", { tool: "nope" }, 404, "TOOL_NOT_FOUND"],
  ["REST for a bad body", "POST /mcp/execute", "agent", { tool: 7 }, 400, "INVALID_INPUT"],
  ["REST for a call that waits", "POST /mcp/execute", "agent", refund, 202, "APPROVAL_PENDING"],
  ["REST by another method", "GET /mcp/execute", "agent", undefined, 405, "NOT_SUPPORTED"],
  ["REST at capacity", "POST /mcp/execute", "agent", { tool: "busy" }, 503, "CAPACITY"],
  ["control without credentials", `GET ${control}/episodes`, undefined, undefined, 401, "UNAUTHORIZED"],
  ["control for an agent", `GET ${control}/episodes`, "agent", undefined, 403, "FORBIDDEN"],
  ["control for an unknown episode", `GET ${control}/episodes/nope`, "trainer", undefined, 404, "NOT_FOUND"],
  ["control for an unknown operation", `POST ${control}/episodes/x/y`, "trainer", {}, 404, "NOT_FOUND"],
  ["control without a session", `GET ${control}/reward`, "trainer", undefined, 400, "INVALID_INPUT"],
  ["control by another method", `POST ${control}/reward`, "trainer", {}, 405, "NOT_SUPPORTED"],
  ["the tasks of an environment without any", `GET /env/lake/lake/splits`, "trainer", undefined, 501, "NOT_SUPPORTED"],
  ["the API without credentials", "GET /api/approvals", undefined, undefined, 401, "UNAUTHORIZED"],
  ["the API for a person without the scope", "GET /api/approvals", "person", undefined, 403, "FORBIDDEN"],
  ["the API for an unknown route", "GET /api/nope", "person", undefined, 404, "NOT_FOUND"],
  ["the API by another method", "PUT /api/session", "person", {}, 405, "NOT_SUPPORTED"],
  ["the API for a bad body", "POST /api/session", undefined, { nonsense: 1 }, 400, "INVALID_INPUT"],
  ["nowhere", "GET /nowhere", "agent", undefined, 404, "NOT_FOUND"],
  ["metrics for an agent", "GET /metrics", "agent", undefined, 403, "FORBIDDEN"],
])("an error has the same shape everywhere: %s", async (_, line, who, body, status, code) => {
  const [method = "", path = ""] = line.split(" ");
  const token = who === "person" ? person : who;
  const response = await fetch(listening.url + path, {
    method,
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const told = (await response.json()) as Record<string, unknown>;
  expect([response.status, told["error"]]).toEqual([status, code]);
  expect(errorCodes).toContain(code);
  expect(told["message"]).toEqual(expect.stringMatching(/^\S+ .+\S$/));
  expect(Object.keys(told).filter((key) => !["error", "message", "approval"].includes(key))).toEqual([]);
  expect(response.headers.has("www-authenticate")).toBe(status === 401);
  expect(response.headers.get("retry-after")).toBe(code === "CAPACITY" ? "2" : null);
});

test.each([
  ["no credentials", "/mcp", "UNAUTHORIZED"],
  ["a token in the path that is no trainer's", "/k/agent/mcp", "FORBIDDEN"],
])("our client tells an unknown caller from one without the right: %s", async (_, path, code) => {
  await expect(connect(listening.url + path)).rejects.toMatchObject({ code });
  await expect(connect(listening.url.replace("http", "ws") + path)).rejects.toMatchObject({ code });
});
