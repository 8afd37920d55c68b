import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { OpenedRun, ShownRun, ShownTrace } from "../../src/desk/contract.ts";
import { blackjack } from "../../src/gallery/blackjack/blackjack.ts";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../src/rollout/agent/random.ts";
import { scriptedAgent } from "../../src/rollout/agent/scripted.ts";
import { findRun, readTraces, saveRun } from "../../src/rollout/run.ts";
import { seedRows } from "../../src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../src/rollout/score/scorer.ts";
import { summarize } from "../../src/rollout/score/summary.ts";
import { logOf } from "../../src/rollout/trace-index.ts";
import { lakeMoves, playAll } from "../rollout/playing.ts";
import { within } from "../support/within.ts";
import { openRunHouse } from "./run-house.ts";
import type { Problem, RunHouse } from "./run-house.ts";

interface Runs {
  readonly runs: readonly ShownRun[];
  readonly next: string | null;
}

interface Traces {
  readonly traces: readonly ShownTrace[];
  readonly next: string | null;
}

const seeds = (count: number) => Array.from({ length: count }, (_, at) => at);

async function play(house: RunHouse, run: string, count = 10): Promise<void> {
  await using game = blackjack();
  await playAll(game, seedRows(seeds(count)), { agent: randomAgent(), store: house.runs, run, settings: { key: "K" } });
}

describe("runs", () => {
  test("are listed the newest first, found by their words, and come in pages", async () => {
    await using house = await openRunHouse([frozenLake()]);
    for (const run of ["a", "b", "c"]) await play(house, run);
    const first = await house.ask<Runs>("GET /api/runs?limit=2");
    expect(first.json.runs.map(({ id }) => id)).toEqual(["c", "b"]);
    const rest = await house.ask<Runs>(`GET /api/runs?limit=2&after=${encodeURIComponent(first.json.next ?? "")}`);
    expect([rest.json.runs.map(({ id }) => id), rest.json.next]).toEqual([["a"], null]);
    const [run] = rest.json.runs;
    const traces = await readTraces(house.runs, "a");
    const mean = traces.reduce((sum, trace) => sum + trace.totalReward, 0) / 10;
    expect(run).toMatchObject({ status: "finished", target: "blackjack", agent: "random", rows: 10, finished: 10 });
    expect(run).toMatchObject({ failed: 0, meanReward: mean });
    expect(first.text).not.toContain("settings");
    expect((await house.ask<Runs>("GET /api/runs?query=BLACK")).json.runs).toHaveLength(3);
    expect((await house.ask<Runs>("GET /api/runs?query=taxi")).json).toEqual({ runs: [], next: null });
    house.runs.rows = 0;
    await house.ask<Runs>("GET /api/runs");
    expect(house.runs.rows).toBeLessThanOrEqual(3); // what finished runs came to is known by now
  });

  test("say what is being played, and how far it has come, until it is over", async () => {
    await using house = await openRunHouse([frozenLake()]);
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    const slow = scriptedAgent(async ({ step }, { index }) => {
      if (step === 2 && index === 1) await wait;
      return step < 3 ? lakeMoves([step % 2 === 0 ? "RIGHT" : "LEFT"])[0] : "done";
    });
    const played = playAll(frozenLake(), seedRows([1, 2]), {
      agent: slow,
      store: house.runs,
      run: "a",
      concurrency: 2,
    });
    const open = async () => (await house.ask<OpenedRun>("GET /api/runs/a")).json;
    await expect.poll(async () => (await open()).finished).toBe(1);
    await expect
      .poll(async () => (await open()).underWay)
      .toMatchObject([{ index: 1, rowId: "seed_2", steps: 2, reward: 0 }]);
    goOn();
    await played;
    expect(await open()).toMatchObject({ finished: 2, underWay: [] });
  });

  test("are opened with their summary, curve, distribution and endings, from their index alone", async () => {
    await using house = await openRunHouse([frozenLake()]);
    await play(house, "a", 250);
    const lines = await house.runs.last(logOf("a"));
    house.runs.rows = 0;
    const { json } = await house.ask<OpenedRun>("GET /api/runs/a");
    expect(house.runs.rows).toBeLessThan(60);
    expect(lines?.sequence).toBeGreaterThan(700);
    const summary = summarize(await scoreTraces(await readTraces(house.runs, "a"), totalReward));
    expect(json.summary.mean).toBeCloseTo(summary.mean, 10);
    expect([json.summary.rollouts, json.summary.steps, json.summary.rows]).toEqual([250, summary.steps, 250]);
    expect(json.reasons).toEqual(summary.reasons);
    expect(json.curve).toHaveLength(200);
    expect(json.curve.at(-1)).toMatchObject({ rollouts: 250, running: expect.closeTo(summary.mean, 10) as number });
    expect(json.distribution.reduce((sum, { count }) => sum + count, 0)).toBe(250);
    expect(json.distribution.map(({ from }) => from)).toEqual([-1, 0, 1]);
  });

  test("that failed say how and how often, and failures are found by their reason", async () => {
    await using house = await openRunHouse([frozenLake()]);
    await using lake = frozenLake();
    const agent = scriptedAgent(({ step }) => {
      if (step > 0) throw new Error("the model <b>is gone</b>");
      return { name: "lake_move", input: { action: "LEFT" } };
    });
    await playAll(lake, seedRows(seeds(4)), { agent, store: house.runs, run: "a" });
    const { json } = await house.ask<OpenedRun>("GET /api/runs/a");
    expect(json).toMatchObject({ finished: 4, failed: 4, meanReward: 0, reasons: { "error: model": 4 } });
    const all = await house.ask<Traces>("GET /api/runs/a/traces?reason=error");
    expect(all.json.traces).toHaveLength(4);
    expect(all.json.traces[0]).toMatchObject({ reason: "error: model", message: "the model <b>is gone</b>", steps: 1 });
    expect((await house.ask<Traces>("GET /api/runs/a/traces?reason=error:%20model")).json.traces).toHaveLength(4);
    expect((await house.ask<Traces>("GET /api/runs/a/traces?reason=stop")).json.traces).toEqual([]);
  });

  test("of before there was an index, and those whose process died, are made up for", async () => {
    await using house = await openRunHouse([frozenLake()]);
    await play(house, "new", 30);
    const run = await findRun(house.runs, "new");
    const lines = (await house.runs.read(logOf("new"), { limit: 10_000 })).map(({ line }) => line);
    await saveRun(house.runs, { ...run, id: "old" });
    await house.runs.append(logOf("old"), lines);
    const dead = { ...run, id: "dead", status: "running" as const, pid: 2 ** 22 + 1, endedAt: undefined };
    await saveRun(house.runs, dead);
    await house.runs.append(logOf("dead"), lines.slice(0, -1));
    const { json } = await house.ask<Runs>("GET /api/runs");
    const by = (id: string) => json.runs.find((each) => each.id === id);
    const { finished, failed, meanReward } = by("new") ?? expect.fail("it is gone");
    expect(by("old")).toMatchObject({ status: "finished", finished, failed, meanReward });
    expect(by("dead")).toMatchObject({ status: "interrupted", finished: 29, failed: 1 });
    const cut = await house.ask<Traces>("GET /api/runs/dead/traces?reason=error:%20cancelled");
    expect(cut.json.traces).toMatchObject([{ message: "The process ended before the rollout did" }]);
  });

  test("do not show what may be a key in an address", async () => {
    await using house = await openRunHouse([frozenLake()]);
    await play(house, "a");
    const run = await findRun(house.runs, "a");
    await saveRun(house.runs, { ...run, target: "https://me:pass@host/k/biplane_t_secret/mcp" });
    const { json, text } = await house.ask<OpenedRun>("GET /api/runs/a");
    expect(json.target).toBe("https://…@host/k/…/mcp");
    expect(text).not.toMatch(/secret|pass@/);
  });

  test("need somebody who is logged in and has the scope; what is not there is said", async () => {
    await using house = await openRunHouse([frozenLake()]);
    await house.logIn("bob", ["episodes"]);
    const lines = [
      "GET /api/runs",
      "GET /api/runs/a",
      "GET /api/runs/a/traces",
      "GET /api/traces/a:b",
      "GET /api/compare",
    ];
    for (const line of lines) {
      expect([line, (await house.ask(line, undefined, "bob")).status]).toEqual([line, 403]);
      expect([line, (await house.ask(line, undefined, "nobody")).status]).toEqual([line, 401]);
    }
    for (const line of ["GET /api/runs/a", "GET /api/runs/a/traces", "GET /api/traces/a:b", "GET /api/traces/a"])
      expect([line, (await house.ask<Problem>(line)).status]).toEqual([line, 404]);
    const refused = await house.ask<Problem>("GET /api/compare?left=a");
    expect([refused.status, refused.json.message]).toEqual([400, "right must be the id of a trace"]);
  });
});

test("a run of another process is told of as it goes on, while somebody listens", async () => {
  await using house = await openRunHouse([frozenLake()]);
  const news = house.hear("runs");
  await news.next();
  const hear = async () => {
    for (;;) {
      const { value = [] } = (await within(15_000, "news of the run", news.next())) as { value?: readonly string[] };
      if (value.length === 0 || value.includes("elsewhere"))
        return (await house.ask<OpenedRun>("GET /api/runs/elsewhere")).json;
    }
  };
  const program = fileURLToPath(new URL("run-child.ts", import.meta.url));
  const words = ["--import", "tsx", "--conditions=biplane-source", program, house.file, "5"];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  let run = await hear();
  while (!(run.finished >= 1)) run = await hear(); // at first there is none
  expect(run).toMatchObject({ status: "running", failed: 0 });
  expect(run.finished).toBeLessThan(5);
  child.stdin.write("go on\n");
  while (run.status === "running") run = await hear();
  expect(run).toMatchObject({ status: "finished", finished: 5, rows: 5 });
  if (child.exitCode === null) await once(child, "exit");
  await news.return(undefined);
}, 40_000);
