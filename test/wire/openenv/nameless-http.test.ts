import { afterEach, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { counter } from "../../environment/counter.ts";
import type { Json } from "../../environment/endpoints.ts";
import { openSocket } from "./socket.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(subject: Environment, options: ServeOptions = {}) {
  opened.push(subject);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", ...options });
  const send = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const method = body ? "POST" : "GET";
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  return { url, send };
}

const add = { action: { tool_name: "add" } };
const steps = (count: number) => ({ body: { metadata: { step_count: count } } });

test("POST /step goes on in the episode that POST /reset began, and GET /state shows it", async () => {
  const { send } = await serve(counter());
  const { body } = await send("/reset", { seed: 1, goal: 3 });
  const { episode_id } = body["metadata"] as Json;
  expect(await send("/step", add)).toMatchObject({ body: { reward: 1, done: false, metadata: { episode_id } } });
  expect(await send("/step", { action: { tool_name: "add", arguments: { by: 2 } } })).toMatchObject({
    body: { reward: 2, done: true },
  });
  expect(await send("/state")).toMatchObject({ body: { episode_id, step_count: 2 } });
});

test("a step before any reset begins one episode, and the next goes on in it", async () => {
  const subject = counter();
  const { send } = await serve(subject);
  expect(await send("/state")).toEqual({ status: 200, body: { episode_id: null, step_count: 0 } });
  expect(subject.episodes.size).toBe(0);
  expect(await send("/step", add)).toMatchObject(steps(1));
  expect(await send("/step", add)).toMatchObject(steps(2));
  expect(subject.episodes.size).toBe(1);
});

test("after the end, steps are refused until the next reset", async () => {
  const { send } = await serve(counter());
  await send("/reset", { goal: 1 });
  await send("/step", add);
  for (let at = 0; at < 2; at++) {
    expect(await send("/step", add)).toMatchObject({
      body: { done: true, observation: { error: { message: expect.stringContaining("has ended") } } },
    });
  }
  await send("/reset", { goal: 1 });
  expect(await send("/step", add)).toMatchObject({ body: { reward: 1, done: true } });
});

test("an id wins, and concurrent callers keep their episodes by it", async () => {
  const { send } = await serve(counter());
  const ids = [];
  for (let at = 0; at < 3; at++) ids.push(((await send("/reset", {})).body["metadata"] as Json)["episode_id"]);
  expect(await send("/step", add)).toMatchObject({ body: { metadata: { episode_id: ids[2] } } });
  for (const episode_id of ids.slice(0, 2))
    expect(await send("/step", { ...add, episode_id })).toMatchObject({ body: { metadata: { episode_id } } });
  await send("/reset", { episode_id: "mine" });
  expect(await send("/step", add)).toMatchObject({ body: { metadata: { episode_id: "mine" } } });
});

test("each caller has its own last reset", async () => {
  const authenticate: ServeOptions["authenticate"] = ({ headers }) => ({
    kind: "trainer",
    id: String(headers["x-name"]),
    scopes: [],
  });
  const { send } = await serve(counter(), { authenticate });
  const [ada, bob] = [{ "x-name": "ada" }, { "x-name": "bob" }];
  await send("/reset", { episode_id: "of ada" }, ada);
  await send("/reset", { episode_id: "of bob" }, bob);
  expect(await send("/step", add, ada)).toMatchObject({ body: { metadata: { episode_id: "of ada" } } });
  expect(await send("/state", undefined, bob)).toMatchObject({ body: { episode_id: "of bob", step_count: 0 } });
});

test("a refused reset leaves the caller's episode, and one of a given name, as they are", async () => {
  const { send } = await serve(counter());
  await send("/reset", { episode_id: "mine" });
  await send("/step", add);
  expect(await send("/reset", { episode_id: "mine", goal: 0 })).toMatchObject({ status: 422 });
  expect(await send("/step", add)).toMatchObject(steps(2));
});

test("unnamed episodes are replaced by new ones, the longest idle first", async () => {
  const subject = counter({ maxEpisodes: 3 });
  const { send, url } = await serve(subject);
  const { body: first } = await send("/reset", {});
  for (let at = 0; at < 20; at++) expect(await send("/reset", {})).toMatchObject({ status: 200 });
  expect(subject.episodes.size).toBe(3);
  expect(await send(`/state?episode_id=${String((first["metadata"] as Json)["episode_id"])}`)).toMatchObject({
    status: 404,
  });
  const sockets = [await openSocket(url), await openSocket(url), await openSocket(url)];
  for (const socket of sockets) expect(await socket.send({ type: "reset" })).toMatchObject({ type: "observation" });
  expect(await send("/step", add)).toMatchObject({
    body: { observation: { error: { message: expect.stringContaining("its place was needed") } } },
  });
  expect(await send("/state")).toMatchObject({ body: { episode_id: null } });
  expect(await send("/reset", {})).toMatchObject({ status: 503 });
  expect(await (await openSocket(url)).next()).toMatchObject({ data: { code: "CAPACITY_REACHED" } });
});

test("an episode that has a name, or in which a call runs, keeps its place", async () => {
  let begin: () => void = () => undefined;
  let release: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const subject = environment({
    name: "slow",
    maxEpisodes: 2,
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({
      hold: tool({
        timeoutMs: 60_000,
        run: () => {
          begin();
          return released.then(() => "released");
        },
      }),
    }),
  });
  const { send } = await serve(subject);
  await send("/reset", { episode_id: "kept" });
  await send("/reset", {});
  const running = send("/step", { action: { tool_name: "hold" } });
  await begun;
  expect(await send("/reset", {})).toMatchObject({ status: 503 });
  release();
  expect(await running).toMatchObject({ body: { observation: { result: { data: "released" } } } });
  expect(await send("/reset", {})).toMatchObject({ status: 200 });
  expect(await send("/state?episode_id=kept")).toMatchObject({ status: 200 });
});

test("an episode may have any name, also one that no header can carry", async () => {
  const { send } = await serve(counter());
  for (const episode_id of ["日本", "a\r\nb: c"])
    expect(await send("/reset", { episode_id })).toMatchObject({ status: 200, body: { metadata: { episode_id } } });
});

test.each<[string, string, object]>([
  ["/control/episodes", "label must be a string.", { label: { a: 1 } }],
  ["/control/episodes", "label is longer than 255 characters.", { label: "x".repeat(256) }],
  ["/control/episodes", "The body must be a JSON object.", []],
])("%s says: %s", async (path, message, body) => {
  const subject = counter();
  const { send } = await serve(subject);
  expect(await send(path, body)).toEqual({ status: 400, body: { error: "INVALID_INPUT", message } });
  expect(subject.episodes.size).toBe(0);
});

test("an episode whose name is not percent-encoded is not found", async () => {
  const { send } = await serve(counter());
  expect(await send("/control/episodes/%E0%A4%A")).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
});
