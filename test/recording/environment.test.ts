import { join } from "node:path";
import { expect, test } from "vitest";
import { rules } from "biplane";
import { callTool, connect, connectEnvironment } from "biplane/client";
import type { Client, EnvironmentClient } from "biplane/client";
import { environmentFromRecording, labelSession, liveFallback, readSessionRecordings } from "biplane/recording";
import type { RecordedEnvironmentOptions, SessionLabel } from "biplane/recording";
import { orders, record } from "./orders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cancel = async (client: Client) => {
  await client.callTool("order_get", { id: "A-1" });
  await client.callTool("order_cancel", { id: "A-1" });
  await client.callTool("order_get", { id: "A-1" });
};
const lookUp = async (client: Client) => {
  await client.callTool("order_get", { id: "A-2" });
  await client.callTool("order_list", { customer: "Ada" });
};

type Label = Partial<SessionLabel>;

async function recordings(labels: readonly Label[] = []) {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sessions.jsonl");
  await using served = orders();
  const { sessions } = await record(served, [cancel, lookUp], { file });
  for (const [at, label] of labels.entries()) labelSession(file, sessions[at]?.id ?? "", label);
  return await readSessionRecordings([file]);
}

async function made(
  options: RecordedEnvironmentOptions = {},
  labels: readonly Label[] = [{ id: "cancel" }, { id: "look" }],
) {
  return environmentFromRecording(await recordings(labels), options);
}

async function play(client: EnvironmentClient, calls: readonly (readonly [string, Record<string, unknown>])[]) {
  const outcomes = [];
  for (const [tool, input] of calls) outcomes.push(await client.step(callTool(tool, input)));
  return outcomes;
}

const path: readonly (readonly [string, Record<string, unknown>])[] = [
  ["order_get", { id: "A-1" }],
  ["order_cancel", { id: "A-1" }],
  ["order_get", { id: "a-1 " }],
];

test("the recorded path gets the whole reward, and tools answer as they did at that point", async () => {
  await using environment = await made();
  await using client = await connectEnvironment(environment);
  const { observation, tools } = await client.reset({ config: { session: "cancel" } });
  expect(observation).toEqual({ position: 0 });
  expect(tools.map(({ name }) => name)).toEqual(["order_get", "order_cancel", "order_list", "key_show"]);
  const outcomes = await play(client, path);
  expect(outcomes.map(({ reward }) => reward)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  expect(outcomes.map(({ done }) => done)).toEqual([false, false, true]);
  expect(outcomes[0]?.content).toMatchObject([{ text: '{"id":"A-1","status":"open"}' }]);
  expect(outcomes[2]?.content).toMatchObject([{ text: '{"id":"A-1","status":"cancelled"}' }]);
});

test("a divergence is found at its step, seen by trainers only, and the agent can return to the path", async () => {
  await using environment = await made();
  const { url } = await environment.serve("http://127.0.0.1:0");
  const headers = { "mcp-session-id": "a-session" };
  await using agent = await connect(`${url}/mcp`, {
    era: "legacy",
    clientInfo: {
      name: "test",
      version: "1",
      _extra: { session_id: "a-session", seed: 1, config: { session: "cancel" } },
    },
  });
  await agent.callTool("order_get", { id: "A-1" });
  const wrong = await agent.callTool("order_cancel", { id: "A-9" });
  expect(wrong.isError).toBe(true);
  expect(JSON.stringify(wrong)).toMatch(/The recording has no call order_cancel/);
  expect(JSON.stringify(wrong)).not.toMatch(/divergence|expected|nearest|A-1/);
  const again = await agent.callTool("order_get", { id: "A-1" });
  expect(again.structuredContent).toEqual({ id: "A-1", status: "open" });
  const response = await fetch(`${url}/control/info`, { headers });
  expect(await response.json()).toMatchObject({
    position: 1,
    of: 3,
    steps: 3,
    divergences: 2,
    divergence: {
      step: 1,
      expected: { tool: "order_cancel", arguments: { id: "A-1" } },
      actual: { tool: "order_cancel", arguments: { id: "A-9" } },
    },
  });
  await agent.callTool("order_cancel", { id: "A-1" });
  await agent.callTool("order_get", { id: "A-1" });
  const [episode] = environment.episodes;
  expect(episode).toMatchObject({ terminated: true });
  expect(episode?.totalReward).toBeCloseTo(1);
});

test("in any order, the same calls are the path, and only others diverge", async () => {
  await using environment = await made({ order: "any" });
  await using client = await connectEnvironment(environment);
  await client.reset({ config: { session: "look" } });
  const outcomes = await play(client, [
    ["order_list", { customer: "Ada" }],
    ["order_list", { customer: "Ada" }],
    ["order_get", { id: "A-2" }],
  ]);
  expect(outcomes.map(({ reward }) => reward)).toEqual([0.5, 0, 0.5]);
  expect(await client.state()).toMatchObject({ divergence: { step: 1, expected: { tool: "order_get" } } });
});

test("an episode ends at the first divergence or at the limit of steps, if that is wanted", async () => {
  await using strict = await made({ endOnDivergence: true });
  await using client = await connectEnvironment(strict);
  await client.reset({ config: { session: "look" } });
  expect(await play(client, [["order_get", { id: "A-1" }]])).toMatchObject([{ terminated: true, reward: 0 }]);
  await using short = await made({ maxSteps: 2 });
  await using other = await connectEnvironment(short);
  await other.reset({ config: { session: "look" } });
  const outcomes = await play(other, [
    ["key_show", {}],
    ["key_show", {}],
  ]);
  expect(outcomes.map(({ truncated }) => truncated)).toEqual([false, true]);
});

test("a final answer counts half: the recorded one, or what a judge says by the criteria", async () => {
  const answer = { answer: "A-1 is cancelled." };
  const labels = [
    { id: "cancel", task: "Cancel A-1 {now}", ...answer },
    { id: "look", criteria: "Names the customer" },
  ];
  const asked: unknown[] = [];
  await using environment = await made(
    {
      judge: async (given) => {
        asked.push(given);
        return 0.5;
      },
    },
    labels,
  );
  await using client = await connectEnvironment(environment);
  const { observation } = await client.reset({ config: { session: "cancel" } });
  expect(observation).toEqual({ task: "Cancel A-1 {now}", position: 0 });
  const outcomes = await play(client, [...path, ["submit_answer", { answer: "a-1 is  cancelled" }]]);
  expect(outcomes.map(({ done }) => done)).toEqual([false, false, false, true]);
  expect(outcomes.at(-1)).toMatchObject({ reward: 0.5, parts: { path: 0, answer: 0.5 } });
  await client.reset({ config: { session: "cancel" } });
  expect(await play(client, [["submit_answer", { answer: "It is open." }]])).toMatchObject([{ reward: 0, done: true }]);
  await client.reset({ config: { session: "look" } });
  expect(await play(client, [["submit_answer", { answer: "Ada" }]])).toMatchObject([{ reward: 0.25, done: true }]);
  expect(asked).toEqual([{ task: undefined, answer: "Ada", expected: undefined, criteria: "Names the customer" }]);
});

test("a judge that fails leaves the episode without a reward", async () => {
  await using environment = await made({ judge: () => Promise.reject(new Error("no judge today")) }, [
    { id: "cancel", criteria: "Says what was done" },
  ]);
  await using client = await connectEnvironment(environment);
  await client.reset({ config: { session: "cancel" } });
  const [outcome] = await play(client, [["submit_answer", { answer: "Done" }]]);
  expect(outcome).toMatchObject({ reward: null, failure: { kind: "judge", masked: true } });
});

test("sessions are tasks in the splits of their labels, and a seed chooses among them", async () => {
  await using environment = await made({}, [{ id: "cancel", task: "Cancel {A-1}", split: "test" }, { id: "look" }]);
  await using client = await connectEnvironment(environment);
  const ids = async (split: string) => (await client.tasks(split)).map(({ id }) => id);
  expect([await ids("all"), await ids("train"), await ids("test")]).toEqual([["cancel", "look"], ["look"], ["cancel"]]);
  expect((await client.tasks("test"))[0]).toMatchObject({ user_prompt_template: "Cancel {{A-1}}" });
  const chosen = new Set<unknown>();
  for (let seed = 0; seed < 8; seed++) {
    await client.reset({ seed });
    chosen.add((await client.state())["session"]);
  }
  expect(chosen.size).toBe(2);
  await expect(client.reset({ config: { session: "nope" } })).rejects.toThrow(
    /no recorded session "nope"\. Sessions: cancel, look/,
  );
});

test("a call that was not recorded falls through to the live server if its policy allows it", async () => {
  await using readers = await made({ live: await liveFallback(orders()) });
  await using client = await connectEnvironment(readers);
  await client.reset({ config: { session: "look" } });
  const [read, changed] = await play(client, [
    ["order_get", { id: "B-7" }],
    ["order_cancel", { id: "B-7" }],
  ]);
  expect(read?.content).toMatchObject([{ text: '{"id":"B-7","status":"open"}' }]);
  expect(JSON.stringify(changed?.content)).toMatch(/The recording has no call order_cancel/);
  expect(await client.state()).toMatchObject({ live: 1, divergences: 2, divergence: { step: 0 } });

  const policies = [rules([{ tool: "order_cancel", allow: true }], { otherwise: "deny" })];
  await using writers = await made({ live: await liveFallback(orders(), { policies }) });
  await using other = await connectEnvironment(writers);
  await other.reset({ config: { session: "look" } });
  const [refused, allowed] = await play(other, [
    ["order_get", { id: "B-7" }],
    ["order_cancel", { id: "B-7" }],
  ]);
  expect(JSON.stringify(refused?.content)).toMatch(/The recording has no call order_get/);
  expect(allowed?.content).toMatchObject([{ text: "Cancelled B-7" }]);
});

test("an episode can be forked, and both continue where the session stands", async () => {
  await using environment = await made();
  await using client = await connectEnvironment(environment);
  await client.reset({ config: { session: "cancel" } });
  await play(client, path.slice(0, 1));
  await using fork = await client.fork();
  await play(fork, [["key_show", {}]]);
  expect(await client.state()).toMatchObject({ position: 1, divergences: 0 });
  expect(await fork.state()).toMatchObject({ position: 1, divergences: 1 });
});

test("a tabular learner gets better at recorded sessions", async () => {
  await using environment = await made({ endOnDivergence: true });
  await using client = await connectEnvironment(environment);
  const sessions = ["cancel", "look"];
  const actions = [
    ["order_get", { id: "A-1" }],
    ["order_get", { id: "A-2" }],
    ["order_cancel", { id: "A-1" }],
    ["order_list", { customer: "Ada" }],
    ["key_show", {}],
  ] as const;
  const values = new Map<string, number[]>();
  const valuesAt = (state: string) => {
    const known = values.get(state) ?? actions.map(() => 0);
    values.set(state, known);
    return known;
  };
  let draw = 1;
  const random = () => (draw = (draw * 48_271) % 2_147_483_647) / 2_147_483_647;
  const episode = async (session: string, exploration: number): Promise<number> => {
    await client.reset({ config: { session } });
    let [total, position, done] = [0, 0, false];
    while (!done) {
      const state = `${session} ${position}`;
      const known = valuesAt(state);
      const best = known.indexOf(Math.max(...known));
      const chosen = random() < exploration ? Math.floor(random() * actions.length) : best;
      const [tool, input] = actions[chosen] ?? actions[0];
      const outcome = await client.step(callTool(tool, input));
      const reward = outcome.reward ?? 0;
      position = Number((await client.state())["position"]);
      done = outcome.done;
      const next = done ? 0 : Math.max(...valuesAt(`${session} ${position}`));
      known[chosen] = (known[chosen] ?? 0) + 0.5 * (reward + next - (known[chosen] ?? 0));
      total += reward;
    }
    return total;
  };
  const mean = async (exploration: number, count: number) => {
    let sum = 0;
    for (let at = 0; at < count; at++) sum += await episode(sessions[at % sessions.length] ?? "", exploration);
    return sum / count;
  };
  const before = await mean(1, 40);
  await mean(0.5, 200);
  const after = await mean(0, 20);
  expect(before).toBeLessThan(0.4);
  expect(after).toBeCloseTo(1);
});
