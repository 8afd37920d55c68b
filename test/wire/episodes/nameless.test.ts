import { afterEach, describe, expect, test } from "vitest";
import { allow } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { connect } from "biplane/client";
import { counter } from "../../environment/counter.ts";
import type { Json } from "../../environment/endpoints.ts";
import { mirrored, post, rpc } from "../../environment/endpoints.ts";
import { apart, modernMeta, together } from "./callers.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(subject: Environment, options: ServeOptions = {}): Promise<string> {
  opened.push(subject);
  return (await subject.serve({ url: "http://127.0.0.1:0", ...options })).url;
}

const inProduction = () => counter().govern({ mode: "production", policies: [() => allow()] });
const ended = /has ended/;
const all = Object.entries({ ...apart, ...together });

describe.each(all)("a caller that names no episode: %s", (_, open) => {
  test("gets one of its own with the first call, and goes on in it", async () => {
    const subject = counter();
    const { call } = await open(await serve(subject));
    expect(await call("add", { by: 2 })).toEqual({ count: 2 });
    expect(await call("add")).toEqual({ count: 3 });
    expect(subject.episodes.size).toBe(1);
  });

  test("in simulation, gets EPISODE_ENDED until the episode is reset", async () => {
    const { call } = await open(await serve(counter()));
    expect(await call("add", { by: 5 })).toEqual({ count: 5 });
    for (let at = 0; at < 3; at++) expect(await call("add")).toMatch(ended);
  });

  test("in production, gets EPISODE_ENDED once, and then another episode", async () => {
    const subject = inProduction();
    const { call } = await open(await serve(subject));
    for (let at = 0; at < 2; at++) {
      expect(await call("add", { by: 5 })).toEqual({ count: 5 });
      expect(await call("add", { by: 0 })).toMatch(/has ended\. The next call starts another\./);
    }
    expect(await call("add")).toEqual({ count: 1 });
    expect(subject.episodes.size).toBe(1);
  });
});

test.each(Object.entries(apart))("each has its own episode: %s", async (_, open) => {
  const url = await serve(counter());
  const [first, second] = [await open(url), await open(url)];
  await first.call("add", { by: 2 });
  expect(await second.call("add")).toEqual({ count: 1 });
  expect(await first.call("add")).toEqual({ count: 3 });
});

test.each(Object.entries(together))("each principal has its own episode: %s", async (_, open) => {
  const authenticate: ServeOptions["authenticate"] = ({ headers }) => ({
    kind: "token",
    id: String(headers["x-name"]),
    scopes: [],
  });
  const url = await serve(counter(), { authenticate });
  const [ada, bob] = [await open(url, { "x-name": "ada" }), await open(url, { "x-name": "bob" })];
  await ada.call("add", { by: 2 });
  expect(await bob.call("add")).toEqual({ count: 1 });
  const again = await open(url, { "x-name": "ada" });
  expect(await again.call("add")).toEqual({ count: 3 });
});

test("a session's episode is reset on the control plane, with the config that it had", async () => {
  const url = await serve(counter());
  const { call, session = "" } = await (apart["a session of 2025-11-25"] as (typeof apart)[string])(url);
  await call("add", { by: 5 });
  expect(await call("add")).toMatch(ended);
  await fetch(`${url}/control/reset_session`, { method: "POST", headers: { "mcp-session-id": session } });
  expect(await call("add")).toEqual({ count: 1 });
});

test.each(Object.entries(together))("POST /reset begins the caller's next episode: %s", async (_, open) => {
  const url = await serve(counter());
  const { call } = await open(url);
  expect(await call("add", { by: 5 })).toEqual({ count: 5 });
  await post(url, "/reset", { goal: 2 });
  expect(await call("add")).toEqual({ count: 1 });
  expect(await call("add")).toEqual({ count: 2 });
  expect(await call("add")).toMatch(ended);
});

test("a name wins over the caller's own episode, and an unknown one is refused", async () => {
  const url = await serve(counter());
  const { body } = await post(url, "/control/episodes", {});
  const add = async (meta: Json) => {
    const message = rpc("tools/call", { name: "add", arguments: {}, _meta: { ...modernMeta, ...meta } });
    return JSON.stringify((await post(url, "/mcp", message, mirrored("tools/call", "add"))).body["result"]);
  };
  for (let at = 1; at < 3; at++) expect(await add({})).toContain(`"count":${at}`);
  expect(await add({ "dev.biplane/episode": body["id"] })).toContain('"count":1');
  expect(await add({ "dev.biplane/episode": "other" })).toContain('There is no episode \\"other\\"');
  expect(await add({ "dev.biplane/episode": 7 })).toContain("There is no episode 7");
});

test("what can be seen first is read as a resource, also from the episode that follows in production", async () => {
  const url = await serve(inProduction());
  const read = async () => {
    const uri = "environment://initial_state";
    const message = rpc("resources/read", { uri, _meta: modernMeta });
    const { body } = await post(url, "/mcp", message, mirrored("resources/read", uri));
    return (body["result"] as { contents: [{ text: string }] }).contents[0].text;
  };
  expect(await read()).toBe('{"count":0}');
  const { call } = await (together["a plain JSON-RPC POST"] as (typeof together)[string])(url);
  await call("add", { by: 5 });
  expect(await read()).toBe('{"count":0}');
  expect(await call("add")).toMatch(ended);
  expect(await call("add")).toEqual({ count: 1 });
});

test.each(["legacy", "modern"] as const)("a client of the %s era plays an environment at its URL", async (era) => {
  const url = await serve(inProduction());
  const client = await connect(`${url}/mcp`, { era });
  expect((await client.callTool("add", { by: 4 })).structuredContent).toEqual({ count: 4 });
  expect((await client.callTool("add")).structuredContent).toEqual({ count: 5 });
  expect((await client.callTool("add")).isError).toBe(true);
  expect((await client.callTool("add")).structuredContent).toEqual({ count: 1 });
  await client.close();
});
