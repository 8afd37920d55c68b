import { environment, failureKinds, makeFailure } from "biplane";
import type { Environment, Episode, Masks } from "biplane";
import { expect, test } from "vitest";
import { connectEnvironment } from "biplane/client";
import { firstFailure, readFailure } from "../../packages/core/src/environment/failure.ts";
import { openSocket } from "../wire/openenv/socket.ts";
import { post, rpc } from "./endpoints.ts";

/** What goes wrong in the next step, until it is set to something else. */
const next: { trouble: "reward" | "status" | "observe" | undefined } = { trouble: undefined };

function fragile(masks?: Masks): Environment {
  const maybe = (place: typeof next.trouble) => {
    if (next.trouble === place) throw new Error("the judge has left");
  };
  return environment({
    name: "fragile",
    start: () => ({ count: 0 }),
    observe: ({ count }) => {
      maybe("observe");
      return { count };
    },
    tools: (tool) => ({
      add: tool({ run: (_, { state }) => void state.count++ }),
      refuse: tool({
        run: () => {
          throw new Error("Not like this");
        },
      }),
      hang: tool({ timeoutMs: 10, run: () => new Promise(() => undefined) }),
    }),
    reward: () => {
      maybe("reward");
      return 1;
    },
    status: ({ count }) => {
      maybe("status");
      return { terminated: count >= 4 };
    },
    onFault: () => undefined,
    ...(masks && { masks }),
  });
}

async function play(subject: Environment, episode: Episode, ...steps: ("reward" | "status" | "observe" | "none")[]) {
  for (const step of steps) {
    next.trouble = step === "none" ? undefined : step;
    await subject.call(episode, "add").catch(() => undefined);
  }
  next.trouble = undefined;
}

test("every kind says whether it is masked, and the agent's own failures are not", () => {
  const masked = failureKinds.filter((kind) => makeFailure(kind, "why").masked);
  expect(masked).toEqual([
    "environment",
    "model",
    "simulator",
    "judge",
    "timeout",
    "infrastructure",
    "lost",
    "cancelled",
  ]);
  expect(makeFailure("tool", "why", { tool: true }).masked).toBe(true);
  expect(makeFailure("lost", "word ".repeat(9999)).message).toMatch(/^.{1990,2000}…$/);
});

test("of two failures the first counts, unless only the other is masked", () => {
  const [agent, model, judge] = [makeFailure("agent", "a"), makeFailure("model", "m"), makeFailure("judge", "j")];
  expect(firstFailure(undefined, agent)).toBe(agent);
  expect(firstFailure(agent, model)).toBe(model);
  expect(firstFailure(model, judge)).toBe(model);
  expect(firstFailure(model, agent)).toBe(model);
});

test.each([
  [
    { kind: "judge", message: "why", masked: false },
    { kind: "judge", message: "why", masked: false },
  ],
  [
    { kind: "judge", message: "why" },
    { kind: "judge", message: "why", masked: true },
  ],
  [{ kind: "gremlins", message: "why", masked: true }, undefined],
  [{ kind: "judge" }, undefined],
  ["judge", undefined],
])("%j from elsewhere is read as %j", (given, read) => {
  expect(readFailure(given)).toEqual(read);
});

test.each([
  ["reward", "judge"],
  ["status", "environment"],
  ["observe", "environment"],
] as const)("a %s that fails once leaves the episode without a reward until its end", async (trouble, kind) => {
  await using subject = fragile();
  const episode = await subject.start();
  await play(subject, episode, "none", trouble, "none");
  expect(episode.failure).toEqual({ kind, message: `${trouble} failed: the judge has left`, masked: true });
  expect([episode.totalReward, episode.last.reward]).toEqual([null, null]);
  await play(subject, episode, "none", "none");
  expect([episode.terminated, episode.totalReward]).toEqual([true, null]);
});

test("a tool that throws tells the agent something, and costs nothing else", async () => {
  await using subject = fragile();
  const episode = await subject.start();
  await expect(subject.call(episode, "refuse")).rejects.toThrow("Not like this");
  await play(subject, episode, "none");
  expect([episode.failure, episode.totalReward]).toEqual([undefined, 1]);
});

test("an environment may mask tools that throw, and count timeouts", async () => {
  await using strict = fragile({ tool: true, timeout: false });
  const episode = await strict.start();
  await expect(strict.call(episode, "hang")).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(episode.failure).toBeUndefined();
  await expect(strict.call(episode, "refuse")).rejects.toThrow("Not like this");
  expect(episode.failure).toEqual({ kind: "tool", message: "Not like this", masked: true });
});

test("a tool that takes too long leaves the episode without a reward", async () => {
  await using subject = fragile();
  const episode = await subject.start();
  await expect(subject.call(episode, "hang")).rejects.toMatchObject({ code: "TIMEOUT" });
  await play(subject, episode, "none");
  expect(episode.failure).toMatchObject({ kind: "timeout", masked: true });
  expect(episode.totalReward).toBeNull();
});

test("a fork and a restored snapshot of a failed episode have failed too", async () => {
  await using subject = fragile();
  const episode = await subject.start();
  await play(subject, episode, "reward");
  const fork = await subject.episodes.fork(episode);
  await play(subject, fork, "none");
  expect([fork.failure?.kind, fork.totalReward, fork.stepCount]).toEqual(["judge", null, 2]);
});

test("the control plane says null, and by which failure", async () => {
  await using subject = fragile();
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { body } = await post(url, "/control/episodes", {});
  const id = String(body["id"]);
  const read = async () => (await (await fetch(`${url}/control/episodes/${id}`)).json()) as Record<string, unknown>;
  expect(await read()).toMatchObject({ failure: null, total_reward: 0 });
  const call = () => post(url, `/e/${id}/mcp`, rpc("tools/call", { name: "add", arguments: {} }));
  next.trouble = "reward";
  const answer = await call();
  next.trouble = undefined;
  expect(answer.body).toMatchObject({ result: { structuredContent: { count: 1 } } });
  expect(JSON.stringify(answer.body)).not.toContain("judge");
  await call();
  expect(await read()).toMatchObject({
    total_reward: null,
    reward: null,
    step_count: 2,
    failure: { kind: "judge", message: "reward failed: the judge has left", masked: true },
  });
});

test("over OpenEnv a masked step has no reward, and the end is an error that no trainer takes for 0", async () => {
  await using subject = fragile();
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { send, socket } = await openSocket(url);
  await send({ type: "reset", data: {} });
  const step = () => send({ type: "step", data: { tool_name: "add" } });
  expect(await step()).toMatchObject({ type: "observation", data: { reward: 1, done: false } });
  next.trouble = "reward";
  const failed = await step();
  next.trouble = undefined;
  const failure = { kind: "judge", message: "reward failed: the judge has left", masked: true };
  expect(failed).toMatchObject({ type: "observation", data: { reward: null, done: false, metadata: { failure } } });
  expect(await step()).toMatchObject({ type: "observation", data: { reward: null, metadata: { failure } } });
  expect(await step()).toMatchObject({
    type: "error",
    data: {
      code: "EXECUTION_ERROR",
      message: "The episode has no reward: reward failed: the judge has left",
      reward: null,
      done: true,
    },
  });
  socket.close();
});

test.each(["in process", "socket", "http"] as const)("our client learns of the failure: %s", async (how) => {
  await using subject = fragile();
  const { url } = await subject.serve("http://127.0.0.1:0");
  const target = how === "in process" ? subject : url;
  await using client = await connectEnvironment(target, how === "http" ? { transport: "http" } : {});
  await client.reset();
  const seen: unknown[] = [];
  for (const trouble of [undefined, "reward", undefined, undefined] as const) {
    next.trouble = trouble;
    const { reward, failure, done, observation } = await client.step({
      type: "call_tool",
      tool_name: "add",
      arguments: {},
    });
    seen.push([reward, failure?.kind, done, observation]);
  }
  next.trouble = undefined;
  expect(seen).toEqual([
    [1, undefined, false, { count: 1 }],
    [null, "judge", false, { count: 2 }],
    [null, "judge", false, { count: 3 }],
    [null, "judge", true, { count: 4 }],
  ]);
});
