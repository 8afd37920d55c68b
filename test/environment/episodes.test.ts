import { afterEach, describe, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { counter } from "./counter.ts";

const made: Environment[] = [];
afterEach(() => Promise.all(made.splice(0).map((each) => each.close())));
const make = (options?: Parameters<typeof counter>[0]): Environment => {
  const counting = counter(options);
  made.push(counting);
  return counting;
};

describe("a step", () => {
  test("changes the state, and is rewarded in named parts", async () => {
    const counting = make();
    const episode = await counting.start({ seed: 1 });
    expect(await counting.call(episode, "add", { by: 2 })).toEqual({ count: 2 });
    await counting.call(episode, "roll");
    expect(episode.last.parts).toEqual({ progress: expect.any(Number), style: 0.5 });
    expect(episode.stepCount).toBe(2);
    expect(episode.totalReward).toBe((episode.last.reward ?? 0) + 2);
  });

  test.each([
    ["spoil", "EXECUTION_ERROR"],
    ["hang", "TIMEOUT"],
    ["compute", "TIMEOUT"],
  ])("that fails changes nothing: %s", async (tool, code) => {
    const counting = make();
    const [episode, twin] = [await counting.start({ seed: 7 }), await counting.start({ seed: 7 })];
    await expect(counting.call(episode, tool)).rejects.toMatchObject({ code });
    expect(episode.stepCount).toBe(0);
    expect(await counting.call(episode, "look")).toEqual({ count: 0 });
    expect(await counting.call(episode, "roll")).toEqual(await counting.call(twin, "roll"));
  });

  test("that is refused is no step", async () => {
    const counting = make();
    const episode = await counting.start();
    await expect(counting.call(episode, "add", { by: 0 })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(counting.call(episode, "nonsense")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(episode.stepCount).toBe(0);
  });

  test("of a tool that says nothing answers with what can be seen", async () => {
    const counting = make();
    expect(await counting.call(await counting.start(), "quiet")).toEqual({ count: 1 });
  });

  test("after the end is refused, and termination is distinguished from truncation", async () => {
    const counting = make();
    const [done, cut] = [
      await counting.start({ config: { goal: 1 } }),
      await counting.start({ config: { goal: 9, limit: 1 } }),
    ];
    for (const episode of [done, cut]) {
      await counting.call(episode, "add");
      await expect(counting.call(episode, "add")).rejects.toMatchObject({ code: "EPISODE_ENDED" });
    }
    expect([done.terminated, done.truncated]).toEqual([true, false]);
    expect([cut.terminated, cut.truncated]).toEqual([false, true]);
  });

  test("waits for its turn; other episodes do not", async () => {
    const counting = make();
    const [mine, other] = [
      await counting.start({ config: { goal: 99 } }),
      await counting.start({ config: { goal: 99 } }),
    ];
    const order: string[] = [];
    const note = (name: string) => (value: unknown) => order.push(`${name} ${(value as { count: number }).count}`);
    await Promise.all([
      counting.call(mine, "wait").then(note("mine")),
      counting.call(mine, "wait").then(note("mine")),
      counting.call(mine, "add").then(note("mine")),
      counting.call(other, "add").then(note("other")),
    ]);
    expect(order).toEqual(["other 1", "mine 1", "mine 2", "mine 3"]);
  });
});

test("a step that is cancelled while it waits for its turn does not hold the others up", async () => {
  const counting = make();
  const episode = await counting.start({ config: { goal: 99 } });
  const leaving = new AbortController();
  const first = counting.call(episode, "wait");
  const second = counting.call(episode, "add", {}, { signal: leaving.signal });
  const third = counting.call(episode, "add");
  leaving.abort();
  await expect(second).rejects.toMatchObject({ code: "CANCELLED" });
  expect([await first, await third, episode.stepCount]).toEqual([{ count: 1 }, { count: 2 }, 2]);
});

test("a step that is cancelled while it is judged still counts, and the next waits for the judgement", async () => {
  let judge: (reward: number) => void = () => undefined;
  const slow = environment({
    name: "slow",
    version: "1",
    start: () => ({ count: 0 }),
    observe: (state) => state,
    tools: (tool) => ({
      add: tool({
        run: (_, { state }) => {
          state.count++;
        },
      }),
    }),
    reward: () => new Promise<number>((resolve) => (judge = resolve)),
  });
  const episode = await slow.start();
  const leaving = new AbortController();
  const first = slow.call(episode, "add", {}, { signal: leaving.signal });
  leaving.abort();
  await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
  const second = slow.call(episode, "add");
  judge(1);
  await expect.poll(() => episode.totalReward).toBe(1);
  await expect.poll(() => episode.stepCount).toBe(2);
  judge(2);
  expect(await second).toEqual({ count: 2 });
  expect(episode.totalReward).toBe(3);
  await slow.close();
});

test("a reward that throws never fails the call, and is reported on the control plane", async () => {
  const faults: string[] = [];
  const broken = environment({
    name: "broken",
    version: "1",
    start: () => ({}),
    observe: () => ({ fine: true }),
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
    reward: () => {
      throw new Error("no reward today");
    },
    onFault: (_, where) => faults.push(where),
  });
  const episode = await broken.start();
  expect(await broken.call(episode, "go")).toBe("went");
  expect(episode.failure).toEqual({ kind: "judge", message: "reward failed: no reward today", masked: true });
  expect(faults).toEqual(["reward of an episode"]);
  expect(episode.stepCount).toBe(1);
  await broken.close();
});

test("a rubric's weighted parts add up to the reward", async () => {
  const judged = environment({
    name: "judged",
    version: "1",
    start: () => ({ text: "" }),
    observe: (state) => state,
    tools: (tool) => ({
      write: tool({
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        run: ({ text }, { state }) => {
          state.text = text;
        },
      }),
    }),
    rubric: {
      polite: { weight: 0.75, score: ({ after }) => (after.text.includes("please") ? 1 : 0) },
      short: { weight: 0.25, score: async ({ after }) => (after.text.length < 20 ? 1 : 0) },
    },
  });
  const episode = await judged.start();
  await judged.call(episode, "write", { text: "more tea, please" });
  expect(episode.last).toEqual({ reward: 1, parts: { polite: 0.75, short: 0.25 } });
  await judged.close();
});

describe("episodes", () => {
  test("with the same seed are the same, and seed 0 is a seed", async () => {
    const counting = make();
    const rolls = async (seed: number) => {
      const episode = await counting.start({ seed, config: { goal: 99 } });
      return [
        await counting.call(episode, "roll"),
        await counting.call(episode, "roll"),
        await counting.call(episode, "roll"),
      ];
    };
    expect(await rolls(0)).toEqual(await rolls(0));
    expect(await rolls(0)).not.toEqual(await rolls(1));
  });

  test.each([-1, 1.5, Number.NaN])("refuse the seed %s", async (seed) => {
    await expect(make().start({ seed })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  test("refuse a config that does not fit, and ignore keys they do not know", async () => {
    await expect(make().start({ config: { goal: "many" } })).rejects.toThrow(/goal/);
    expect((await make().start({ config: { goal: 2, prompt: "hello" } })).isOver).toBe(false);
  });

  test("are no more than there may be", async () => {
    const counting = make({ maxEpisodes: 2 });
    const first = await counting.start();
    await counting.start();
    await expect(counting.start()).rejects.toMatchObject({ code: "CAPACITY" });
    await counting.episodes.end(first);
    await counting.start();
  });

  test("without a client end when they are idle", async () => {
    const counting = make({ idleMs: 30 });
    await counting.start();
    const slot = counting.episodes.openSlot();
    await slot.episode();
    await expect.poll(() => counting.episodes.size).toBe(1);
    expect(slot.current).toBeDefined();
  });

  test("go on from a snapshot, as often as wanted, each on its own", async () => {
    const counting = make();
    const episode = await counting.start({ seed: 3, config: { goal: 99 } });
    await counting.call(episode, "roll");
    const snapshot = JSON.parse(JSON.stringify(await counting.episodes.snapshot(episode))) as Awaited<
      ReturnType<typeof counting.episodes.snapshot>
    >;
    const copies = [
      await counting.episodes.restore(snapshot),
      await counting.episodes.restore(snapshot),
      await counting.episodes.fork(episode),
    ];
    const next = await counting.call(episode, "roll");
    for (const copy of copies) {
      expect(copy.id).not.toBe(episode.id);
      expect(await counting.call(copy, "roll")).toEqual(next);
      expect([copy.stepCount, copy.totalReward]).toEqual([episode.stepCount, episode.totalReward]);
    }
    await counting.call(copies[0] ?? episode, "add");
    expect(episode.stepCount).toBe(2);
  });

  test("with live things are closed with them, and are not saved without a way to", async () => {
    const open: string[] = [];
    const living = environment({
      name: "living",
      version: "1",
      open: () => {
        open.push("live");
        return { name: "live" };
      },
      close: () => open.pop(),
      start: ({ live }) => ({ seen: live.name }),
      observe: (state) => state,
      tools: (tool) => ({ ask: tool({ run: (_, { live }) => live.name }) }),
    });
    const episode = await living.start();
    expect(await living.call(episode, "ask")).toBe("live");
    await expect(living.episodes.fork(episode)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    await living.episodes.end(episode);
    expect(open).toEqual([]);
    await living.close();
  });
});

test.each([
  ["a reserved tool name", { tools: { reset: true } }, /cannot be named reset/],
  ["an action that is no tool", { action: "fly" }, /"fly" is not one of its tools/],
  ["a reward and a rubric", { reward: () => 1, rubric: {} }, /not both/],
])("%s is an error at definition", (_, part, message) => {
  const define = () =>
    environment({
      name: "wrong",
      version: "1",
      start: () => ({}),
      observe: () => ({}),
      ...(part as object),
      tools: (tool) => ({ ["tools" in part ? "reset" : "go"]: tool({ run: () => 1 }) }),
    });
  expect(define).toThrow(message);
});
