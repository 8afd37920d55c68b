import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { environment } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { openStore } from "biplane/store";
import { OrsEndpoint } from "../../../packages/core/src/wire/ors/endpoint.ts";
import { counter } from "../../environment/counter.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { trainerTokens } from "../../support/trainer-tokens.ts";
import { OrsClient, eventsIn } from "./client.ts";

async function serve(environments: Environment[], options: ServeOptions = {}): Promise<OrsClient> {
  return new OrsClient(await serveForTest(environments, options));
}

test("a session is created, begun, pinged and deleted", async () => {
  const subject = counter();
  const client = await serve([subject]);
  const made = await client.post("/create_session");
  expect(made.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(made.headers.get("cache-control")).toBe("no-cache");
  expect(made.headers.get("x-accel-buffering")).toBe("no");
  expect(made.text).toMatch(/^event: task_id\r\ndata: [\da-f-]{36}\r\n\r\nevent: end\r\ndata: \r\n\r\n$/);
  const sid = eventsIn(made.text)[0]?.data ?? "";
  const session = client.in(sid);
  expect((await session.post("/create", { split: "train", index: 0 })).body).toEqual({ sid });
  expect(subject.episodes.size).toBe(1);
  expect((await session.post("/ping")).body).toEqual({ status: "ok" });
  expect((await session.get("/task_tools")).body).toMatchObject({ tools: expect.any(Array), terminal_tool: null });
  expect((await session.get("/prompt")).body).toEqual([{ text: '{"count":0}', detail: null, type: "text" }]);
  expect((await session.get("/messages")).body).toEqual([
    { role: "user", blocks: [{ text: '{"count":0}', detail: null, type: "text" }], detail: null },
  ]);
  expect((await session.post("/delete")).body).toEqual({ sid });
  expect(subject.episodes.size).toBe(0);
  expect((await session.post("/delete_session")).body).toEqual({ sid });
  for (const path of ["/ping", "/call", "/create"])
    expect(await session.post(path, path === "/call" ? { name: "add", input: {} } : {})).toMatchObject(
      path === "/create" ? { status: 400 } : { status: 410, body: { detail: "Session deleted" } },
    );
  expect(await session.post("/create", { split: "train", index: 0 })).toMatchObject({ status: 410 });
});

test("a task that was given out comes back with create, and begins as the environment defines it", async () => {
  const subject = counter();
  const client = await serve([subject]);
  const { body } = await client.in("x").post("/counter/task", { split: "train", index: 0 });
  const { task, env_name } = body as { task: object; env_name: string };
  const session = await client.begin({ task_spec: task, env_name });
  expect([...subject.episodes]).toMatchObject([{ seed: 1, config: { goal: 2 } }]);
  expect(await session.result("add", { by: 2 })).toMatchObject({ output: { finished: true } });
});

test("the prompt is the task's own, filled with the observation and the config", async () => {
  const subject = environment({
    name: "sums",
    version: "1.0.0",
    config: { type: "object", properties: { a: { type: "number" } } },
    start: ({ config }) => ({ a: Number(config["a"]) }),
    observe: ({ a }) => ({ question: `${a} + 1` }),
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
    tasks: {
      train: [
        {
          config: { a: 2 },
          system_prompt: "Add.",
          user_prompt_template: "a is {a}: {observation[question]} {{now}}",
        },
        { config: { a: 3 }, user_prompt_template: "{missing}" },
      ],
    },
  });
  const client = await serve([subject]);
  const session = await client.begin({ split: "train", index: 0 });
  expect((await session.get("/messages")).body).toMatchObject([
    { role: "system", blocks: [{ text: "Add." }] },
    { role: "user", blocks: [{ text: "a is 2: 2 + 1 {now}" }] },
  ]);
  expect((await session.get("/sums/prompt")).body).toMatchObject([{ text: "Add." }, { text: "a is 2: 2 + 1 {now}" }]);
  const broken = await client.begin({ split: "train", index: 1 });
  expect(await broken.get("/prompt")).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("uses {missing}, which is unknown") },
  });
});

test("sessions of several environments share a port", async () => {
  const other = environment({
    name: "Other",
    version: "1.0.0",
    start: () => ({}),
    observe: () => "hello",
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
  const url = await serveForTest([counter(), other]);
  const client = new OrsClient(url);
  const session = await client.begin({ task_spec: { split: "train", index: 5 }, env_name: "other" });
  expect((await session.get("/other/prompt")).body).toMatchObject([{ text: "hello" }]);
  expect((await session.get("/prompt")).body).toMatchObject([{ text: "hello" }]);
  expect([...other.episodes]).toMatchObject([{ seed: 5 }]);
  expect(await session.get("/counter/prompt")).toMatchObject({ status: 404 });
  const prefixed = await new OrsClient(`${url}/env/Other`).begin();
  expect(await prefixed.result("go")).toMatchObject({ ok: true });
  expect(await client.in("a").post("/create", { split: "train", index: 0, env_name: "zzz" })).toMatchObject({
    status: 404,
    body: { detail: "unknown environment 'zzz'" },
  });
});

test.each([
  ["no header", {}, "/ping", 400, "X-Session-ID header is required"],
  ["an empty header", { "x-session-id": "" }, "/ping", 400, "X-Session-ID header is required"],
  ["an unknown sid", { "x-session-id": "nope" }, "/ping", 404, "Active environment not found"],
  ["a sid that cannot be one", { "x-session-id": "a b/../c" }, "/ping", 404, "Active environment not found"],
  ["no header on delete", {}, "/delete", 400, "X-Session-ID header is required"],
])("%s is refused", async (_, headers, path, status, detail) => {
  const client = (await serve([counter()])).as(headers);
  expect(await client.post(path)).toMatchObject({ status, body: { detail } });
  if (path !== "/delete")
    expect(await client.post("/call", { name: "add", input: {} })).toMatchObject({ status, body: { detail } });
});

test("deleting an unknown session succeeds, and a sid is used once", async () => {
  const client = await serve([counter()]);
  expect((await client.in("nope").post("/delete")).body).toEqual({ sid: "nope" });
  expect((await client.in("nope").post("/delete_session")).body).toEqual({ sid: "nope" });
  const session = await client.begin();
  expect(await session.post("/create", { split: "train", index: 0 })).toMatchObject({
    status: 400,
    body: { detail: "Session already exists" },
  });
});

test("of two requests that begin a session at once, one does", async () => {
  const subject = counter();
  const client = (await serve([subject])).in("same");
  const answers = await Promise.all([1, 2, 3].map(() => client.post("/create", { split: "train", index: 0 })));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400, 400]);
  expect(subject.episodes.size).toBe(1);
});

test("an episode that cannot start is an error of the server, and the sid can be used again", async () => {
  let isBroken = true;
  const subject = environment({
    name: "fragile",
    version: "1.0.0",
    start: () => {
      if (isBroken) throw new Error("no lamp");
      return {};
    },
    observe: () => ({}),
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
  const client = (await serve([subject])).in("s");
  expect(await client.post("/create", { split: "train", index: 0 })).toMatchObject({
    status: 500,
    body: { detail: "fragile could not start an episode: no lamp" },
  });
  isBroken = false;
  expect(await client.post("/create", { split: "train", index: 0 })).toMatchObject({ status: 200 });
});

test("a server without a free episode asks to try again", async () => {
  const client = await serve([counter({ maxEpisodes: 1 })]);
  await client.begin();
  const refused = await client.in("b").post("/create", { split: "train", index: 0 });
  expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining("All 1 episodes") } });
  expect(refused.headers.get("retry-after")).toBe("2");
});

test("an idle session ends with its episode, and a deleted episode with its session", async () => {
  const subject = counter({ idleMs: 30 });
  const client = await serve([subject]);
  const idle = await client.begin();
  await expect.poll(() => subject.episodes.size).toBe(0);
  expect(await idle.post("/ping")).toMatchObject({ status: 410 });
});

test("an episode that a trainer ends elsewhere takes its session along", async () => {
  const subject = counter();
  const client = await serve([subject]);
  const session = await client.begin();
  for (const episode of subject.episodes) await subject.episodes.end(episode);
  expect(await session.post("/ping")).toMatchObject({ status: 410, body: { detail: "Session deleted" } });
  expect(await session.call("add")).toMatchObject({ event: "HTTP 410" });
});

test("only a trainer is served, and only in its own sessions", async () => {
  const { tokens, authenticate, bearer } = trainerTokens();
  const client = await serve([counter()], { authenticate });
  for (const path of ["/create_session", "/create", "/call", "/ping", "/ors/tools"]) {
    expect((await client.post(path)).status).toBe(401);
    expect((await client.as(bearer("agent")).post(path)).status).toBe(403);
  }
  const session = await client.as(bearer("one")).begin();
  const foreign = session.as(bearer("other"));
  expect(await foreign.post("/ping")).toMatchObject({ status: 404 });
  expect(await foreign.call("add")).toMatchObject({ event: "HTTP 404" });
  expect(await foreign.get("/prompt")).toMatchObject({ status: 404 });
  expect(await foreign.post("/delete")).toMatchObject({ status: 200 });
  expect((await session.post("/ping")).body).toEqual({ status: "ok" });
  // Two trainers may use the same id.
  expect(await foreign.post("/create", { split: "train", index: 0 })).toMatchObject({ status: 200 });
  // The client of ORS sends its token as an API key.
  expect(
    await client.as({ "x-api-key": tokens.one }).in("x").post("/create", { split: "train", index: 0 }),
  ).toMatchObject({
    status: 200,
  });
  expect((await client.as({ "x-api-key": tokens.agent }).post("/create_session")).status).toBe(403);
  expect((await client.as({ "x-api-key": "" }).post("/create_session")).status).toBe(401);
  expect((await client.as({ "x-api-key": tokens.agent }).get("/mcp/capabilities")).status).toBe(401);
});

test("where episodes are stored, another server continues a session", async () => {
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  const [one, other] = await Promise.all(
    [1, 2].map(async () => serve([counter({ durability: "step" }).govern({ store })])),
  );
  const here = await (one as OrsClient).begin({ split: "train", index: 1 });
  const there = (other as OrsClient).in(here.sid);
  expect(await here.result("add", { by: 2 })).toMatchObject({ output: { reward: 2 } });
  expect((await there.post("/ping")).body).toEqual({ status: "ok" });
  expect((await there.get("/prompt")).body).toMatchObject([{ text: '{"count":0}' }]);
  expect(await there.result("add", { by: 1 })).toMatchObject({ output: { reward: 3, metadata: { step_count: 2 } } });
  expect(await here.result("add", { by: 2 })).toMatchObject({ output: { reward: 5, finished: true } });
  await there.post("/delete");
  expect((await here.post("/ping")).status).toBe(410);
});

test("while an episode takes long to start, clients are asked to try again, and the same session continues", async () => {
  let start: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  let starts = 0;
  const subject = environment({
    name: "slow",
    version: "1.0.0",
    start: async () => {
      starts++;
      await started;
      return {};
    },
    observe: () => "ready",
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
  const limits = { maxBodyBytes: 10_000, maxSessions: 10, startWithinMs: 20 };
  const endpoint = new OrsEndpoint([subject], { ...limits, rewards: "total" });
  const principal = { kind: "trainer", id: "gym", scopes: [] } as const;
  const http = createServer((request, response) => {
    endpoint.handle({ request, response, path: request.url ?? "", principal, address: "" });
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const closed = async () => {
    endpoint.close();
    http.closeAllConnections();
    await once(http.close(), "close");
  };
  onTestFinished(async () => {
    await closed();
    await subject.close();
  });
  const client = new OrsClient(`http://127.0.0.1:${(http.address() as AddressInfo).port}`).in("s");
  const create = () => client.post("/create", { split: "train", index: 0 });
  for (const answer of [await create(), await create(), await client.get("/prompt")]) {
    expect(answer).toMatchObject({ status: 503, body: { detail: "The episode is still starting." } });
    expect(answer.headers.get("x-backend-state")).toBe("starting");
    expect(answer.headers.get("retry-after")).toBe("2");
  }
  start();
  await expect.poll(async () => (await create()).status).toBe(200);
  expect((await create()).status).toBe(400);
  expect((await client.get("/prompt")).body).toMatchObject([{ text: "ready" }]);
  expect(starts).toBe(1);
});
