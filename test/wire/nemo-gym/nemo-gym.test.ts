import { expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { connect } from "biplane/client";
import { breakable } from "../../environment/breakable.ts";
import { counter } from "../../environment/counter.ts";
import { stateless } from "../../environment/stateless.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { trainerTokens } from "../../support/trainer-tokens.ts";
import { NemoClient, seedOf, verifyBody } from "./client.ts";

function serve(subject: Environment = counter(), options: ServeOptions = {}): Promise<string> {
  return serveForTest([subject], options);
}

test("a typed session: seed, tools, verify, close", async () => {
  const subject = counter();
  const client = new NemoClient(await serve(subject));
  const seeded = await client.seed();
  const [episode] = subject.episodes;
  expect(episode).toMatchObject({ seed: 7 });
  expect(seeded).toMatchObject({
    status: 200,
    body: {
      resources_session_id: "rs-1",
      resources_tools: {
        server_name: "counter",
        url_path: `/e/${episode?.id}/mcp`,
        transport: "http",
        headers: {},
      },
      sandbox_access: null,
    },
  });
  expect(seeded.cookie).toMatch(/^biplane_session=rs-1; Path=\/; HttpOnly/);
  expect(await client.post("/add", { by: 2 })).toMatchObject({ status: 200, text: '{"count":2}' });
  expect(await client.post("/add", { by: 3 })).toMatchObject({ status: 200, text: '{"count":5}' });
  expect(await client.verify({ expected: 5, _ng_task_index: 3 })).toMatchObject({ status: 200 });
  expect((await client.verify({ expected: 5, _ng_task_index: 3 })).body).toEqual({
    ...verifyBody,
    expected: 5,
    reward: 5,
    mask_sample: false,
    failure_kind: null,
    failure_reason: null,
    step_count: 2,
    terminated: true,
    truncated: false,
  });
  expect((await client.close()).body).toEqual({ resources_session_id: "rs-1" });
  expect(subject.episodes.size).toBe(0);
  // A late verify still knows the reward, and a tool says that the session is gone.
  expect((await client.verify()).body).toMatchObject({ reward: 5, mask_sample: false });
  expect(await client.post("/add", {})).toMatchObject({ status: 410 });
});

test("a session is found without its cookie by its id", async () => {
  const client = new NemoClient(await serve());
  await client.seed();
  await client.post("/add", { by: 1 });
  client.cookie = undefined;
  expect((await client.verify({ resources_session_id: "rs-1" })).body).toMatchObject({ reward: 1, mask_sample: false });
  expect(await client.close()).toMatchObject({ status: 200 });
});

test("a session is seeded and closed as often as a client asks, and its id is used once", async () => {
  const subject = counter();
  const client = new NemoClient(await serve(subject));
  const first = await client.seed();
  expect((await client.seed()).body).toEqual(first.body);
  expect(subject.episodes.size).toBe(1);
  expect(await client.seed(seedOf("rs-1", { seed: 7 }, "r2"))).toMatchObject({ status: 409 });
  expect(await client.close("rs-1", "r2")).toMatchObject({ status: 409 });
  for (let time = 0; time < 2; time++)
    expect(await client.close()).toMatchObject({ status: 200, body: { resources_session_id: "rs-1" } });
  expect(await client.close("never-seeded")).toMatchObject({ status: 200 });
  for (const id of ["rs-1", "never-seeded"]) expect((await client.seed(seedOf(id))).status).toBe(409);
});

test("two requests that seed one session at once start one episode", async () => {
  const subject = counter();
  const client = new NemoClient(await serve(subject));
  const answers = await Promise.all([1, 2, 3].map(() => client.post("/seed_session", seedOf("rs-1"))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(subject.episodes.size).toBe(1);
});

test("a legacy session is a dataset row, and ends when it is verified", async () => {
  const subject = counter();
  const client = new NemoClient(await serve(subject));
  const seeded = await client.seed({ ...verifyBody, split: "train", index: 0, id: "short" });
  const [episode] = subject.episodes;
  expect(episode).toMatchObject({ seed: 1, config: { goal: 2 } });
  expect(seeded.body).toEqual({
    mcp: { server_name: "counter", url_path: `/e/${episode?.id}/mcp`, transport: "http", headers: {} },
  });
  await client.post("/add", { by: 2 });
  for (let time = 0; time < 2; time++)
    expect((await client.verify()).body).toMatchObject({ ...verifyBody, reward: 2, mask_sample: false });
  expect(subject.episodes.size).toBe(0);
});

test("an agent plays over MCP instead, in the same episode", async () => {
  const url = await serve();
  const client = new NemoClient(url);
  const { body } = await client.seed();
  const { url_path } = body["resources_tools"] as { url_path: string };
  const agent = await connect(url + url_path);
  await agent.callTool("add", { by: 4 });
  await agent.close();
  expect((await client.verify()).body).toMatchObject({ reward: 4, step_count: 1 });
});

test("tools answer text that a model can read, errors too", async () => {
  const subject = stateless({
    name: "talk",
    tools: (tool) => ({
      say: tool({ run: () => "plain words" }),
      call: tool({ run: () => ({ is: "a tool with the name of another route" }) }),
    }),
    reward: () => 0.5,
  });
  const client = new NemoClient(await serve(subject));
  await client.seed();
  expect(await client.post("/say")).toMatchObject({ text: "plain words", type: "text/plain; charset=utf-8" });
  expect(await client.post("/call")).toMatchObject({ body: { is: expect.any(String) } });
  expect(await client.post("/nemo-gym/say")).toMatchObject({ text: "plain words" });
  expect(await client.post("/nope")).toMatchObject({ status: 200, body: { error: expect.stringContaining("nope") } });
  expect(await client.post("/say", { extra: 1 })).toMatchObject({ status: 200, body: { error: expect.any(String) } });
  expect((await client.verify()).body).toMatchObject({ reward: 1.5, mask_sample: false });
});

test("what the agent does wrong earns what it earned", async () => {
  const client = new NemoClient(await serve(breakable()));
  await client.seed();
  expect(await client.post("/break_part", { part: "run" })).toMatchObject({
    status: 200,
    body: { error: "the gate is locked" },
  });
  expect((await client.verify()).body).toMatchObject({ reward: 0, mask_sample: false, failure_kind: null });
});

test.each([
  ["reward", "/break_part", { part: "reward" }, "verifier_error", "reward failed: the judge is out"],
  ["status", "/break_part", { part: "status" }, "biplane:environment", "status failed: status broke"],
  ["the time limit", "/hang", {}, "transport_timeout", expect.stringContaining("timed out")],
])("a failure of %s masks the rollout", async (_, path, input, kind, reason) => {
  const client = new NemoClient(await serve(breakable()));
  await client.seed();
  await client.post("/break_part", { part: "nothing" });
  expect((await client.post(path, input)).status).toBe(200);
  const verdict = { reward: 0, mask_sample: true, failure_kind: kind, failure_reason: reason };
  expect((await client.verify()).body).toMatchObject(verdict);
  await client.close();
  expect((await client.verify()).body).toMatchObject(verdict);
});

test("a rollout whose session is lost, or that never had one, is masked", async () => {
  const subject = counter();
  const client = new NemoClient(await serve(subject));
  expect((await client.verify()).body).toMatchObject({ mask_sample: true, failure_kind: "session_lost" });
  await client.seed();
  for (const episode of subject.episodes) await subject.episodes.end(episode);
  expect((await client.post("/add")).status).toBe(410);
  expect((await client.verify()).body).toMatchObject({
    ...verifyBody,
    reward: 0,
    mask_sample: true,
    failure_kind: "session_lost",
  });
});

test("an environment without a reward has nothing to train on", async () => {
  const subject = stateless({
    name: "bare",
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
  const client = new NemoClient(await serve(subject));
  await client.seed();
  await client.post("/go");
  expect((await client.verify()).body).toMatchObject({ mask_sample: true, failure_kind: "biplane:no_reward" });
});

test("metrics count the rollouts that are not masked", async () => {
  const client = new NemoClient(await serve());
  const metrics = { "mean/reward": 0.5, masked_rollouts: 2 };
  expect(
    (
      await client.post("/aggregate_metrics", {
        verify_responses: [{ reward: 1 }, { reward: 0, mask_sample: false }, { reward: 0, mask_sample: true }, {}],
      })
    ).body,
  ).toEqual({ group_level_metrics: [], agent_metrics: metrics, key_metrics: metrics });
  expect((await client.post("/aggregate_metrics")).body).toMatchObject({ key_metrics: { masked_rollouts: 0 } });
  expect((await client.send("GET", "/reverify_mode")).text).toBe('"unsupported"');
  expect((await client.send("GET", "/verify")).status).toBe(405);
});

test("an episode that cannot start is an error that can be tried again, and a full server says so", async () => {
  const broken = environment({
    name: "fragile",
    version: "1.0.0",
    start: () => {
      throw new Error("no lamp");
    },
    observe: () => ({}),
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
  expect((await new NemoClient(await serve(broken)).seed()).status).toBe(500);
  const client = new NemoClient(await serve(counter({ maxEpisodes: 1 })));
  await client.seed();
  expect((await client.seed(seedOf("rs-2"))).status).toBe(429);
});

test("an idle session ends with its episode", async () => {
  const subject = counter({ idleMs: 30 });
  const client = new NemoClient(await serve(subject));
  await client.seed();
  await expect.poll(() => subject.episodes.size).toBe(0);
  expect((await client.post("/add")).status).toBe(410);
});

test("only a trainer is served, and only in its own sessions", async () => {
  const { authenticate, bearer } = trainerTokens();
  const anyone = new NemoClient(await serve(counter(), { authenticate }));
  for (const path of ["/seed_session", "/verify", "/close_session", "/aggregate_metrics", "/add"]) {
    expect((await anyone.post(path)).status).toBe(401);
    expect((await anyone.as(bearer("agent")).post(path)).status).toBe(403);
  }
  const owner = anyone.as(bearer("one"));
  await owner.seed();
  await owner.post("/add", { by: 3 });
  const foreign = owner.as(bearer("other"));
  expect((await foreign.post("/add", { by: 1 })).status).toBe(410);
  expect((await foreign.verify()).body).toMatchObject({ mask_sample: true, failure_kind: "session_lost" });
  await foreign.close();
  expect((await owner.verify()).body).toMatchObject({ reward: 3, mask_sample: false });
});

test("production has none of it", async () => {
  const subject = counter().govern({ mode: "production", policies: [() => ({ verdict: "allow" })] });
  const client = new NemoClient(await serve(subject));
  client.cookie = "biplane_session=rs-1";
  for (const path of ["/seed_session", "/verify", "/close_session", "/aggregate_metrics", "/add", "/nemo-gym/add"])
    expect([path, (await client.post(path)).status]).toEqual([path, 404]);
});

test.each([
  ["no episode", { resources_session_id: "a", task_id: { taskset: "t", task_id: "0" } }, 422],
  ["an id that is no text", { ...seedOf("a"), resources_session_id: 7 }, 422],
  ["an id that is too long", seedOf("x".repeat(300)), 422],
  ["a rollout id that cannot be one", seedOf("a", {}, "../r"), 422],
  ["an unknown field", { ...seedOf("a"), extra: 1 }, 422],
  ["an unknown field in the episode", { ...seedOf("a"), episode_id: { rollout_id: "r", more: 1 } }, 422],
  ["a seed that is no integer", seedOf("a", { seed: "7" }), 400],
  ["a task that does not exist", seedOf("a", { split: "train", index: 99 }), 400],
  ["a split that does not exist", seedOf("a", { split: "__proto__", index: 0 }), 400],
  ["data that is no object", { ...seedOf("a"), task_data: [] }, 422],
  ["a task that is no object", { ...seedOf("a"), task_id: "0" }, 422],
  ["a negative attempt", { ...seedOf("a"), episode_id: { rollout_id: "r", attempt: -1 } }, 422],
])("a session for %s is not seeded", async (_, body, status) => {
  const subject = counter();
  const answer = await new NemoClient(await serve(subject)).post("/seed_session", body);
  expect(answer).toMatchObject({ status, body: { detail: expect.anything() } });
  expect(subject.episodes.size).toBe(0);
});

test.each([
  ["is not JSON", '{"a": '],
  ["is too deep", `{"a":${"[".repeat(4000)}${"]".repeat(4000)}}`],
  ["is a list", "[]"],
  ["is too large", JSON.stringify({ a: "x".repeat(17 * 2 ** 20) })],
])("a body that %s is refused on every route, and the session lives", async (_, body) => {
  const client = new NemoClient(await serve());
  await client.seed();
  for (const path of ["/seed_session", "/verify", "/close_session", "/aggregate_metrics", "/add"])
    expect([path, (await client.send("POST", path, body)).status]).toEqual([path, expect.toBeOneOf([400, 413, 422])]);
  expect(await client.post("/add", { by: 1 })).toMatchObject({ status: 200, text: '{"count":1}' });
});

test("a cookie that was made up belongs to no session", async () => {
  const client = new NemoClient(await serve());
  for (const cookie of [
    "biplane_session=nope",
    "biplane_session=%ff",
    "biplane_session=",
    `biplane_session=${"x".repeat(4000)}`,
  ]) {
    client.cookie = cookie;
    expect([cookie.slice(0, 30), (await client.post("/add")).status]).toEqual([cookie.slice(0, 30), 410]);
  }
});

test("a secret is in no answer", async () => {
  const secret = "correct-horse-battery";
  const subject = environment({
    name: "leaky",
    version: "1.0.0",
    onFault: () => undefined,
    secrets: { KEY: secret },
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({ tell: tool({ run: () => `It is ${secret}` }) }),
    reward: () => {
      throw new Error(`judge of ${secret}`);
    },
  });
  const client = new NemoClient(await serve(subject));
  const seen = [(await client.seed()).text, (await client.post("/tell")).text, (await client.verify()).text];
  expect(seen.join("\n")).not.toContain(secret);
  expect(seen.at(-1)).toContain("judge of");
});
