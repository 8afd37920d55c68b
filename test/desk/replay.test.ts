import { environment } from "biplane";
import { describe, expect, test } from "vitest";
import type { OpenedEpisode, OpenedTrace, PlayedStep, ReplayedTrace, ShownTrace } from "../../src/desk/contract.ts";
import type { Environment } from "../../src/environment/environment.ts";
import { gallery } from "../../src/gallery/gallery.ts";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { connectFour } from "../../src/gallery/connect-four/connect-four.ts";
import { taxi } from "../../src/gallery/taxi/taxi.ts";
import { randomAgent } from "../../src/rollout/agent/random.ts";
import { scriptedAgent } from "../../src/rollout/agent/scripted.ts";
import type { RolloutOptions } from "../../src/rollout/rollout.ts";
import type { RolloutTarget } from "../../src/rollout/make.ts";
import { seedRows } from "../../src/rollout/row.ts";
import type { Row } from "../../src/rollout/row.ts";
import { lakeMoves, playAll, solution } from "../rollout/playing.ts";
import { openRunHouse } from "./run-house.ts";
import type { Problem, RunHouse } from "./run-house.ts";

interface PlayOptions extends Partial<RolloutOptions> {
  readonly rows?: readonly Row[];
}

/** Plays one row into the house's runs and gives the id of its trace. */
async function record(house: RunHouse, target: RolloutTarget, options: PlayOptions = {}): Promise<string> {
  const { rows = seedRows([42]), ...rest } = options;
  const run = rest.run ?? `run-${crypto.randomUUID()}`;
  await playAll(target, rows, { agent: randomAgent(), steps: 20, ...rest, store: house.runs, run });
  const { json } = await house.ask<{ traces: ShownTrace[] }>(`GET /api/runs/${run}/traces`);
  return json.traces[0]?.id ?? expect.fail("nothing was played");
}

const replay = (house: RunHouse, id: string, body?: object) =>
  house.ask<ReplayedTrace>(`POST /api/traces/${encodeURIComponent(id)}/replay`, body);
const open = async (house: RunHouse, id: string) =>
  (await house.ask<OpenedTrace>(`GET /api/traces/${encodeURIComponent(id)}`)).json;

describe("a replay", () => {
  test("stands where the trace stood, and is played on by hand and forked like any other", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    const moves = ["DOWN", "DOWN", "RIGHT", "UP", "UP"];
    const id = await record(house, lake, { agent: scriptedAgent(lakeMoves(moves)), steps: 5 });
    const trace = await open(house, id);
    const { status, json } = await replay(house, id, { steps: 3 });
    expect([status, json.divergence]).toEqual([201, null]);
    expect(json.episode).toMatchObject({
      server: "frozen-lake",
      seed: "42",
      stepCount: 3,
      origin: { trace: id, step: 3 },
      observation: { position: 9 },
    });
    expect(trace.trace[2]?.observation).toMatchObject(json.episode.observation as object);
    expect(json.episode.steps.map(({ input }) => input)).toEqual(moves.slice(0, 3).map((action) => ({ action })));
    const fork = await house.ask<OpenedEpisode>(`POST /api/episodes/${json.episode.id}/fork`);
    expect(fork.json).toMatchObject({ stepCount: 3, origin: { trace: id, step: 3 } });
    let played: PlayedStep | undefined;
    for (const action of solution.slice(3))
      ({ json: played } = await house.ask<PlayedStep>(`POST /api/episodes/${fork.json.id}/calls`, {
        tool: "lake_move",
        input: { action },
      }));
    expect(played?.episode).toMatchObject({ terminated: true, totalReward: 1, stepCount: 6 });
    expect((await house.ask<OpenedEpisode>(`GET /api/episodes/${json.episode.id}`)).json.stepCount).toBe(3);
    const nothing = await replay(house, id, { steps: 0 });
    expect(nothing.json.episode).toMatchObject({ stepCount: 0, origin: { trace: id, step: 0 } });
  });

  test("of any environment of the gallery comes out as it was played, to the last step", async () => {
    const served = Object.entries(gallery).flatMap(([name, make]) => (name === "waiting" ? [] : [make()]));
    await using house = await openRunHouse(served);
    for (const each of served) {
      const id = await record(house, each);
      const trace = await open(house, id);
      expect([each.name, trace.canReplay]).toEqual([each.name, true]);
      const { status, json } = await replay(house, id);
      expect([each.name, status, json.divergence]).toEqual([each.name, 201, null]);
      expect([each.name, json.episode.totalReward]).toEqual([each.name, trace.reward]);
      expect(json.episode.origin).toEqual({ trace: id, step: trace.steps });
    }
  }, 60_000);

  test("knows what was played over a wire: MCP, Eval Protocol and OpenEnv", async () => {
    const [lake, four] = [frozenLake(), connectFour()];
    await using house = await openRunHouse([taxi(), lake, four]);
    const ids = [
      await record(house, `${house.url}/env/frozen-lake/mcp`),
      await record(house, `${house.url}/env/frozen-lake`),
      await record(house, `${house.url}/env/${four.name}`),
      await record(house, `${house.url}/env/${four.name}/mcp`),
    ];
    for (const id of ids) {
      const trace = await open(house, id);
      expect([id, trace.canReplay, trace.steps > 0]).toEqual([id, true, true]);
      const { json } = await replay(house, id);
      expect([id, json.divergence]).toEqual([id, null]);
      expect(json.episode.totalReward).toBe(trace.reward);
    }
  }, 60_000);

  test("leaves out what never reached the environment, and a call that failed fails again", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    const agent = scriptedAgent([
      { name: "lake_move", input: { action: "SIDEWAYS" } },
      { name: "no_such_tool", input: {} },
      ...lakeMoves(["DOWN"]),
    ]);
    const id = await record(house, lake, { agent, steps: 3 });
    const { json } = await replay(house, id);
    expect(json).toMatchObject({ divergence: null, episode: { stepCount: 1, origin: { step: 3 } } });
  });

  test("that comes out differently stands just before, and says what and where", async () => {
    const changed = (bonus: number) =>
      environment({
        name: "game",
        version: "1",
        start: () => ({ count: 0 }),
        observe: ({ count }) => ({ count }),
        tools: (define) => ({
          add: define({
            run: (_, call) => {
              call.state.count += call.state.count === 2 ? bonus : 1;
            },
          }),
        }),
        reward: ({ after }) => after.count,
      });
    const after = changed(5);
    await using house = await openRunHouse([after]);
    await using before = changed(1);
    const id = await record(house, before, { steps: 6 });
    const { json } = await replay(house, id);
    expect(json.divergence).toEqual({ step: 2, what: "observation", left: { count: 3 }, right: { count: 7 } });
    expect(json.episode).toMatchObject({ stepCount: 2, observation: { count: 2 }, origin: { trace: id, step: 2 } });
    expect(after.episodes.size).toBe(1);
    expect((await replay(house, id, { steps: 2 })).json.divergence).toBeNull();
  });

  test("of rewards and endings that changed, and of a beginning that changed, says so too", async () => {
    const game = (options: { reward: number; last: number; start: number }): Environment =>
      environment({
        name: "game",
        version: "1",
        start: () => ({ count: options.start }),
        observe: ({ count }) => ({ count }),
        tools: (define) => ({ add: define({ run: (_, call) => void call.state.count++ }) }),
        reward: () => options.reward,
        status: ({ count }) => ({ terminated: count >= options.last }),
      });
    const usual = { reward: 1, last: 9, start: 0 };
    for (const [change, divergence, stepCount] of [
      [{ reward: 2 }, { step: 0, what: "reward", left: 1, right: 2 }, 0],
      [{ last: 3 }, { step: 2, what: "ending", left: false, right: true }, 2],
      [{ start: 1 }, { step: -1, what: "observation", left: { count: 0 }, right: { count: 1 } }, 0],
    ] as const) {
      await using house = await openRunHouse([game({ ...usual, ...change })]);
      await using before = game(usual);
      const id = await record(house, before, { steps: 5 });
      const { json } = await replay(house, id);
      expect(json).toMatchObject({ divergence, episode: { stepCount } });
    }
  });

  test("that differs every time is given up, not tried for ever", async () => {
    let number = 0;
    const moody = environment({
      name: "moody",
      version: "1",
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => ({ number: ++number }) }) }),
    });
    await using house = await openRunHouse([moody]);
    const id = await record(house, moody, { steps: 6 });
    const { status, json } = await replay(house, id);
    expect([status, json.divergence]).toMatchObject([201, { step: 0, what: "observation", left: { number: 1 } }]);
    expect(moody.episodes.size).toBe(1);
  });

  test("is refused with a reason where it cannot be", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    await house.logIn("bob", ["runs"]);
    const id = await record(house, lake);
    const refused = await house.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, {}, "bob");
    expect([refused.status, refused.json.message]).toEqual([403, "bob lacks the scope episodes"]);
    for (const steps of [-1, 1.5, "2", 21]) {
      const wrong = await house.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, { steps });
      expect([steps, wrong.status]).toEqual([steps, 400]);
    }
    expect((await replay(house, "no:thing")).status).toBe(404);
    await using cab = taxi();
    const elsewhere = await record(house, cab);
    expect((await open(house, elsewhere)).canReplay).toBe(false);
    const nobody = await house.ask<Problem>(`POST /api/traces/${encodeURIComponent(elsewhere)}/replay`, {});
    expect([nobody.status, nobody.json.error]).toEqual([501, "NOT_SUPPORTED"]);
    expect(nobody.json.message).toMatch(/^No environment that is served here has the tools .* played in taxi/);
  });

  test("is refused in production, where there is only looking", async () => {
    const policies = [() => ({ verdict: "allow" as const })];
    await using house = await openRunHouse([frozenLake()], { mode: "production", policies });
    await using lake = frozenLake();
    const id = await record(house, lake);
    const trace = await open(house, id);
    expect([trace.canReplay, trace.steps]).toEqual([false, trace.trace.length]);
    const refused = await house.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, {});
    expect([refused.status, refused.json.error]).toEqual([403, "POLICY_DENIED"]);
  });
});
