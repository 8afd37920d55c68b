import { afterAll, beforeAll, expect, test } from "vitest";
import { routingFiles, wireEndpoints } from "../../support/wire-endpoints.ts";
import { WireMessages, bodyBytes, headBytes, params, rpc } from "../../support/wire-messages.ts";
import { findHolds, isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import { HeldServer } from "./held-server.ts";
import { hostileInputs } from "./hostile-inputs.ts";
import { hostileText, textKinds } from "./hostile-texts.ts";

let server: HeldServer;
let messages: WireMessages;
beforeAll(async () => {
  server = await HeldServer.start({
    files: { "scripts/sample.star": "def main():\n  return 1\n" },
    config: () =>
      'environments: [echo]\npacks: { script: { root: ./scripts } }\nsecrets: { values: { A: "${SECRET}" } }\n',
    environment: { SECRET: "a secret of the test" },
  });
  const person = { authorization: `Bearer ${server.person}` };
  messages = new WireMessages({ url: server.url, environment: "echo", person });
});
afterAll(() => server[Symbol.asyncDispose]());

test("every endpoint has a message", () => {
  expect(wireEndpoints.filter((name) => messages.of(name) === undefined)).toEqual([]);
  const known = [
    "control/episodes.ts",
    "forward/episode-gate.ts",
    "forward/request-names.ts",
    "openenv/describe.ts",
    "public-paths.ts",
    "serve-http.ts",
    "server-routes.ts",
    "trainer.ts",
  ];
  expect(routingFiles()).toEqual(known);
});

const timeout = isSoak ? 3_600_000 : 240_000;

test("no message holds the event loop", { timeout }, async () => {
  const kinds = textKinds.filter((_, at) => at % 8 === 4);
  const cases = wireEndpoints.flatMap((name, rotation) => {
    const message = messages.of(name);
    return message ? hostileInputs({ name, kinds, rotation, daily: 2, ...message }) : [];
  });
  expect(await findHolds(server, cases)).toEqual([]);
});

test("no sequence of messages holds the event loop", { timeout }, async () => {
  const call = rpc("tools/call", '{"name":"echo_message","arguments":{"message":"text"}}');
  const calls = (count: number) => Array.from({ length: Math.max(1, count) }, () => call);
  const hello = rpc("initialize", JSON.stringify({ ...params["initialize"], protocolVersion: "2025-03-26" }));
  const batch = (size: number) => `[${calls(Math.floor(size / call.length)).join()}]`;
  const head = (headers: (size: number) => Record<string, string>) => (size: number) =>
    messages.request("GET /api/session", undefined, headers(size));
  const cases: HostileCase[] = [
    { name: "a batch over HTTP", limit: bodyBytes, send: (size) => messages.request("POST /mcp", batch(size)) },
    {
      name: "a batch of 100",
      limit: 100,
      send: (size) => messages.request("POST /env/echo/mcp", `[${calls(size).join()}]`),
    },
    { name: "a batch over a socket", limit: bodyBytes, send: (size) => messages.exchange("/mcp", hello, batch(size)) },
    { name: "many messages over a socket", limit: 200, send: (size) => messages.exchange("/mcp", ...calls(size)) },
    { name: "a long path", limit: headBytes, send: (size) => messages.request(`GET /${hostileText("folders", size)}`) },
    {
      name: "a long query",
      limit: headBytes,
      send: (size) => messages.request(`GET /mcp?${hostileText("equals", size)}`),
    },
    { name: "a long header", limit: headBytes, send: head((size) => ({ accept: "a,".repeat(size / 2) })) },
    { name: "a long token", limit: headBytes, send: head((size) => ({ authorization: `Bearer ${"a".repeat(size)}` })) },
    { name: "a long cookie", limit: headBytes, send: head((size) => ({ cookie: "a=b; ".repeat(size / 5) })) },
  ];
  expect(await findHolds(server, cases)).toEqual([]);
});
