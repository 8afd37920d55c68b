import { environment } from "biplane";
import { describe, expect, test } from "vitest";
import type { EpisodeDetail, PlayedStep } from "../../packages/biplane/src/admin/episodes/episode-api.ts";
import type { TraceDetail, TraceReplay, TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import { gallery } from "@biplane/gallery";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { connectFour } from "../../packages/gallery/src/connect-four/connect-four.ts";
import { taxi } from "../../packages/gallery/src/taxi/taxi.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import type { RolloutOptions } from "../../packages/biplane/src/rollout/rollout.ts";
import type { EnvironmentTarget } from "biplane/client";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { Row } from "../../packages/biplane/src/rollout/row.ts";
import { lakeMoves, playAll, solution } from "../rollout/playing.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";

interface PlayOptions extends Partial<RolloutOptions> {
  readonly rows?: readonly Row[];
}

/** Plays one row into the gateway's runs and gives the id of its trace. */
async function record(gateway: RunGateway, target: EnvironmentTarget, options: PlayOptions = {}): Promise<string> {
  const { rows = seedRows([42]), ...rest } = options;
  const run = rest.run ?? `run-${crypto.randomUUID()}`;
  await playAll(target, rows, { agent: randomAgent(), steps: 20, ...rest, store: gateway.runs, run });
  const { json } = await gateway.ask<{ traces: TraceInfo[] }>(`GET /api/runs/${run}/traces`);
  return json.traces[0]?.id ?? expect.fail("nothing was played");
}

const replay = (gateway: RunGateway, id: string, body?: object) =>
  gateway.ask<TraceReplay>(`POST /api/traces/${encodeURIComponent(id)}/replay`, body);
const open = async (gateway: RunGateway, id: string) =>
  (await gateway.ask<TraceDetail>(`GET /api/traces/${encodeURIComponent(id)}`)).json;

describe("a replay", () => {
  test("reaches the state of the trace, and can be continued by hand and forked", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    const moves = ["DOWN", "DOWN", "RIGHT", "UP", "UP"];
    const id = await record(gateway, lake, { agent: scriptedAgent(lakeMoves(moves)), steps: 5 });
    const trace = await open(gateway, id);
    const { status, json } = await replay(gateway, id, { steps: 3 });
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
    const fork = await gateway.ask<EpisodeDetail>(`POST /api/episodes/${json.episode.id}/fork`);
    expect(fork.json).toMatchObject({ stepCount: 3, origin: { trace: id, step: 3 } });
    let played: PlayedStep | undefined;
    for (const action of solution.slice(3))
      ({ json: played } = await gateway.ask<PlayedStep>(`POST /api/episodes/${fork.json.id}/calls`, {
        tool: "lake_move",
        input: { action },
      }));
    expect(played?.episode).toMatchObject({ terminated: true, totalReward: 1, stepCount: 6 });
    expect((await gateway.ask<EpisodeDetail>(`GET /api/episodes/${json.episode.id}`)).json.stepCount).toBe(3);
    const nothing = await replay(gateway, id, { steps: 0 });
    expect(nothing.json.episode).toMatchObject({ stepCount: 0, origin: { trace: id, step: 0 } });
  });

  test("of any gallery environment reproduces every step", async () => {
    const served = Object.entries(gallery).flatMap(([name, make]) => (name === "waiting" ? [] : [make()]));
    await using gateway = await openRunGateway(served);
    for (const each of served) {
      const id = await record(gateway, each);
      const trace = await open(gateway, id);
      expect([each.name, trace.canReplay]).toEqual([each.name, true]);
      const { status, json } = await replay(gateway, id);
      expect([each.name, status, json.divergence]).toEqual([each.name, 201, null]);
      expect([each.name, json.episode.totalReward]).toEqual([each.name, trace.reward]);
      expect(json.episode.origin).toEqual({ trace: id, step: trace.steps });
    }
  }, 60_000);

  test("reads traces played over MCP, Eval Protocol and OpenEnv", async () => {
    const [lake, four] = [frozenLake(), connectFour()];
    await using gateway = await openRunGateway([taxi(), lake, four]);
    const ids = [
      await record(gateway, `${gateway.url}/env/frozen-lake/mcp`),
      await record(gateway, `${gateway.url}/env/frozen-lake`),
      await record(gateway, `${gateway.url}/env/${four.name}`),
      await record(gateway, `${gateway.url}/env/${four.name}/mcp`),
    ];
    for (const id of ids) {
      const trace = await open(gateway, id);
      expect([id, trace.canReplay, trace.steps > 0]).toEqual([id, true, true]);
      const { json } = await replay(gateway, id);
      expect([id, json.divergence]).toEqual([id, null]);
      expect(json.episode.totalReward).toBe(trace.reward);
    }
  }, 60_000);

  test("leaves out what never reached the environment, and a call that failed fails again", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    const agent = scriptedAgent([
      { tool: "lake_move", input: { action: "SIDEWAYS" } },
      { tool: "no_such_tool", input: {} },
      ...lakeMoves(["DOWN"]),
    ]);
    const id = await record(gateway, lake, { agent, steps: 3 });
    const { json } = await replay(gateway, id);
    expect(json).toMatchObject({ divergence: null, episode: { stepCount: 1, origin: { step: 3 } } });
  });

  test("that differs stops just before the difference, and reports it", async () => {
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
    await using gateway = await openRunGateway([after]);
    await using before = changed(1);
    const id = await record(gateway, before, { steps: 6 });
    const { json } = await replay(gateway, id);
    expect(json.divergence).toEqual({ step: 2, what: "observation", left: { count: 3 }, right: { count: 7 } });
    expect(json.episode).toMatchObject({ stepCount: 2, observation: { count: 2 }, origin: { trace: id, step: 2 } });
    expect(after.episodes.size).toBe(1);
    expect((await replay(gateway, id, { steps: 2 })).json.divergence).toBeNull();
  });

  test("reports changed rewards, endings and initial observations too", async () => {
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
      await using gateway = await openRunGateway([game({ ...usual, ...change })]);
      await using before = game(usual);
      const id = await record(gateway, before, { steps: 5 });
      const { json } = await replay(gateway, id);
      expect(json).toMatchObject({ divergence, episode: { stepCount } });
    }
  });

  test("that differs every time is given up", async () => {
    let number = 0;
    const moody = environment({
      name: "moody",
      version: "1",
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => ({ number: ++number }) }) }),
    });
    await using gateway = await openRunGateway([moody]);
    const id = await record(gateway, moody, { steps: 6 });
    const { status, json } = await replay(gateway, id);
    expect([status, json.divergence]).toMatchObject([201, { step: 0, what: "observation", left: { number: 1 } }]);
    expect(moody.episodes.size).toBe(1);
  });

  test("is refused with a reason where it cannot be", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    await gateway.logIn("bob", ["runs"]);
    const id = await record(gateway, lake);
    const refused = await gateway.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, {}, "bob");
    expect([refused.status, refused.json.message]).toEqual([403, "bob lacks the scope episodes."]);
    for (const steps of [-1, 1.5, "2", 21]) {
      const wrong = await gateway.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, { steps });
      expect([steps, wrong.status]).toEqual([steps, 400]);
    }
    expect((await replay(gateway, "no:thing")).status).toBe(404);
    await using cab = taxi();
    const elsewhere = await record(gateway, cab);
    expect((await open(gateway, elsewhere)).canReplay).toBe(false);
    const nobody = await gateway.ask<Problem>(`POST /api/traces/${encodeURIComponent(elsewhere)}/replay`, {});
    expect([nobody.status, nobody.json.error]).toEqual([501, "NOT_SUPPORTED"]);
    expect(nobody.json.message).toMatch(/^No served environment has the tools .* recorded in taxi/);
  });

  test("is refused in production", async () => {
    const policies = [() => ({ verdict: "allow" as const })];
    await using gateway = await openRunGateway([frozenLake()], { mode: "production", policies });
    await using lake = frozenLake();
    const id = await record(gateway, lake);
    const trace = await open(gateway, id);
    expect([trace.canReplay, trace.steps]).toEqual([false, trace.trace.length]);
    const refused = await gateway.ask<Problem>(`POST /api/traces/${encodeURIComponent(id)}/replay`, {});
    expect([refused.status, refused.json.error]).toEqual([403, "FORBIDDEN"]);
  });
});
