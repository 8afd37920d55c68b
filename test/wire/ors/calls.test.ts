import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { deny, environment, image, reply, text } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { breakable } from "../../environment/breakable.ts";
import { counter } from "../../environment/counter.ts";
import { stateless } from "../../environment/stateless.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { OrsClient, eventsIn } from "./client.ts";

async function serve(subject: Environment, options: ServeOptions = {}): Promise<OrsClient> {
  return new OrsClient(await serveForTest([subject], options));
}

test("a call is a stream of its id and its result", async () => {
  const session = await (await serve(counter())).begin();
  const { text: stream, headers } = await session.post("/call", { name: "add", input: { by: 2 } });
  expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream).toMatch(/^event: task_id\r\ndata: [\da-f]{32}\r\n\r\nevent: end\r\ndata: \{.*\}\r\n\r\n$/);
  expect(JSON.parse(eventsIn(stream)[1]?.data ?? "")).toEqual({
    ok: true,
    output: {
      blocks: [{ text: '{"count":2}', detail: null, type: "text" }],
      metadata: { step_count: 1, truncated: false, step_reward: 2, reward_parts: { progress: 2, style: 0 } },
      reward: 2,
      finished: false,
    },
  });
});

test("the last reward of an episode is its total, unless the server sends the rewards of the steps", async () => {
  for (const [orsRewards, expected] of [
    [undefined, [1, 3, 5]],
    ["step", [1, 2, 2]],
  ] as const) {
    const session = await (await serve(counter(), { ...(orsRewards && { orsRewards }) })).begin();
    const rewards: unknown[] = [];
    for (const by of [1, 2, 2]) {
      const { output } = (await session.result("add", { by })) as { output: { reward: unknown; finished: boolean } };
      rewards.push(output.reward);
      expect(output.finished).toBe(rewards.length === 3);
    }
    expect(rewards).toEqual(expected);
  }
});

test("a truncated episode is finished too, and says so", async () => {
  const session = await (await serve(counter())).begin({ split: "train", index: 0 });
  await session.result("look");
  expect(await session.result("add", { by: 2 })).toMatchObject({ output: { finished: true, reward: 2 } });
  const subject = stateless({
    name: "short",
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
    status: (_, { stepCount }) => ({ terminated: false, truncated: stepCount >= 1 }),
  });
  expect(await (await (await serve(subject)).begin()).result("go")).toMatchObject({
    output: { finished: true, reward: null, metadata: { truncated: true } },
  });
});

test("images and resources become blocks", async () => {
  const subject = stateless({
    name: "gallery",
    tools: (tool) => ({
      look: tool({ run: () => reply([text("a\u2028b"), image(Buffer.from("png"), "image/png")]) }),
      quiet: tool({ run: () => undefined }),
    }),
  });
  const session = await (await serve(subject)).begin();
  const { data } = await session.call("look");
  expect(data).not.toContain("\u2028"); // Python would end the line there
  expect(JSON.parse(data)).toMatchObject({
    output: {
      blocks: [
        { text: "a\u2028b", type: "text" },
        { data: Buffer.from("png").toString("base64"), mimeType: "image/png", type: "image" },
      ],
      reward: null,
    },
  });
  // A tool that returns nothing answers with the observation.
  expect(await session.result("quiet")).toMatchObject({ output: { blocks: [{ text: "{}" }] } });
});

test("a result of any length is one event", async () => {
  const long = `${"word ".repeat(60_000)}end`;
  const subject = stateless({
    name: "long",
    tools: (tool) => ({ say: tool({ run: () => long }) }),
  });
  const { text: stream } = await (await (await serve(subject)).begin()).post("/call", { name: "say", input: {} });
  expect(eventsIn(stream).map(({ event }) => event)).toEqual(["task_id", "end"]);
  expect(JSON.parse(eventsIn(stream)[1]?.data ?? "")).toMatchObject({ output: { blocks: [{ text: long }] } });
});

test("what the agent does wrong is a result, and the session lives", async () => {
  const session = await (await serve(counter())).begin();
  expect(await session.result("nope")).toEqual({
    ok: false,
    error: "'nope' is not a valid tool",
    reason: "not_found",
  });
  expect(await session.result("add", { by: 0 })).toMatchObject({
    ok: false,
    error: expect.stringMatching(/^Tool input validation error: .*by/),
    reason: "input_validation",
  });
  for (const input of [[], "text", 7, null])
    expect(await session.result("add", input)).toMatchObject(input === null ? { ok: true } : { ok: false });
  expect(await session.result("spoil")).toEqual({ ok: false, error: "Spoiled", reason: "input_validation" });
  expect(await session.result("add", { by: 4 })).toMatchObject({ ok: true, output: { reward: 5, finished: true } });
  expect(await session.result("add", { by: 1 })).toEqual({
    ok: false,
    error: "'add' was not run: the episode has finished",
    reason: "episode_finished",
  });
  expect((await session.post("/ping")).body).toEqual({ status: "ok" });
});

test("null stands for an optional argument that was not given, unless the tool takes null", async () => {
  const subject = stateless({
    name: "optional",
    tools: (tool) => ({
      show: tool({
        input: {
          type: "object",
          properties: {
            needed: { type: "integer" },
            number: { type: "integer" },
            choice: { enum: ["a", "b"] },
            nullable: { type: ["string", "null"] },
            either: { anyOf: [{ type: "string" }, { type: "null" }] },
            any: {},
          },
          required: ["needed"],
        },
        run: (input) => input,
      }),
    }),
  });
  const session = await (await serve(subject)).begin();
  const nulls = { number: null, choice: null, nullable: null, either: null, any: null };
  const { output } = (await session.result("show", { needed: 1, ...nulls })) as {
    output: { blocks: { text: string }[] };
  };
  expect(JSON.parse(output.blocks[0]?.text ?? "")).toEqual({ needed: 1, nullable: null, either: null, any: null });
  expect(await session.result("show", { needed: null })).toMatchObject({ ok: false, reason: "input_validation" });
  expect(await session.result("show", { needed: 1, unknown: null })).toMatchObject({ ok: false });
});

test("a policy's denial is a result", async () => {
  const subject = counter().policy((_, name) => (name === "roll" ? deny("No dice.") : { verdict: "allow" }));
  const session = await (await serve(subject)).begin();
  expect(await session.result("roll")).toMatchObject({ ok: false, error: expect.stringContaining("No dice.") });
});

test.each([
  ["reward", { part: "reward" }, "reward failed: the judge is out"],
  ["a reward that is no number", { part: "NaN" }, "reward failed: The reward must be a finite number, not NaN."],
  ["status", { part: "status" }, "status failed: status broke"],
  ["observe", { part: "observe" }, "observe broke badly"],
])("a failure of %s is an error event without a reward, now and later", async (_, input, message) => {
  const session = await (await serve(breakable())).begin();
  expect(await session.result("nothing")).toMatchObject({ output: { reward: 1 } });
  const { text: stream } = await session.post("/call", { name: "break_part", input });
  expect(eventsIn(stream)).toEqual([
    { event: "task_id", data: expect.any(String) },
    { event: "error", data: message },
  ]);
  expect(stream).not.toContain('reward":');
  expect(await session.call("nothing")).toMatchObject({ event: "error" });
});

test("a tool that takes too long fails the session, and a tool that throws only if that is masked", async () => {
  const client = await serve(breakable());
  const late = expect.stringContaining("timed out");
  expect(await (await client.begin()).call("hang")).toEqual({ event: "error", data: late });
  expect(await (await client.begin()).call("break_part", { part: "run" })).toMatchObject({ event: "end" });
  const strict = await serve(breakable({ masks: { tool: true } }));
  expect(await (await strict.begin()).call("break_part", { part: "run" })).toEqual({
    event: "error",
    data: "the gate is locked",
  });
});

test("a time limit that does not mask is an answer for the agent, and the episode keeps its reward", async () => {
  const session = await (await serve(breakable({ masks: { timeout: false } }))).begin();
  expect(await session.result("nothing")).toMatchObject({ output: { reward: 1 } });
  expect(await session.result("hang")).toMatchObject({ ok: false, error: expect.stringContaining("timed out") });
  expect(await session.result("nothing")).toMatchObject({ ok: true, output: { reward: 2 } });
});

test("a client that lost its connection gets the end of the same call by its id", async () => {
  let runs = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const subject = stateless({
    name: "slow",
    tools: (tool) => ({
      work: tool({
        run: async () => {
          runs++;
          await finished;
          return `run ${runs}`;
        },
      }),
    }),
    reward: () => 1,
  });
  const url = await serveForTest([subject]);
  const sid = "lost";
  const session = new OrsClient(url).in(sid);
  await session.post("/create", { split: "train", index: 0 });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ name: "work", input: {} });
  socket.write(
    `POST /call HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Session-ID: ${sid}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let heard = "";
  while (!heard.includes("\r\n\r\n", heard.indexOf("task_id")))
    heard += String(((await once(socket, "data")) as [Buffer])[0]);
  const taskId = /data: (\w+)/.exec(heard)?.[1] ?? "";
  socket.destroy();
  const again = session.post("/call", { name: "work", input: {}, task_id: taskId });
  finish();
  const [first, last] = eventsIn((await again).text);
  expect(first).toEqual({ event: "task_id", data: taskId });
  expect(JSON.parse(last?.data ?? "")).toMatchObject({ ok: true, output: { blocks: [{ text: "run 1" }], reward: 1 } });
  // Also after its end, and only in its session.
  const late = await session.post("/call", { name: "work", input: {}, task_id: taskId });
  expect(eventsIn(late.text)[1]).toEqual(last);
  const other = await new OrsClient(url).begin({ split: "train", index: 1 });
  expect(eventsIn((await other.post("/call", { name: "work", input: {}, task_id: taskId })).text).at(-1)).toEqual({
    event: "error",
    data: "unknown task_id",
  });
  expect(runs).toBe(1);
});

test("deleting a session ends its calls", async () => {
  let started: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (started = resolve));
  const subject = stateless({
    name: "endless",
    tools: (tool) => ({
      work: tool({
        run: () => {
          started();
          return new Promise<never>(() => undefined);
        },
      }),
    }),
  });
  const session = await (await serve(subject)).begin();
  const call = session.call("work");
  await running;
  await session.post("/delete");
  expect(await call).toEqual({ event: "error", data: "The session was closed." });
});

test("a secret is in no answer", async () => {
  const secret = "correct-horse-battery";
  const subject = environment({
    name: "leaky",
    version: "1.0.0",
    onFault: () => undefined,
    secrets: { KEY: secret },
    start: () => ({ isBroken: false }),
    observe: () => ({ key: secret }),
    tools: (tool) => ({
      tell: tool({ description: `Knows ${secret}`, run: () => `It is ${secret}` }),
      shout: tool({
        run: () => {
          throw new Error(`No ${secret}`);
        },
      }),
      break_all: tool({ run: (_, { state }) => void (state.isBroken = true) }),
    }),
    reward: ({ after }) => {
      if (after.isBroken) throw new Error(`judge of ${secret}`);
      return 0;
    },
    tasks: { train: [{ id: secret }] },
  });
  const client = await serve(subject);
  const session = await client.begin({ split: "train", index: 0 });
  const seen = [
    (await session.get("/tools")).text,
    (await session.get("/prompt")).text,
    (await session.get("/messages")).text,
    (await session.post("/leaky/tasks", { split: "train" })).text,
    (await session.call("tell")).data,
    (await session.call("shout")).data,
    (await session.call("break_all")).data,
  ];
  expect(seen.join("\n")).not.toContain(secret);
  expect(seen.at(-1)).toContain("judge of");
});
