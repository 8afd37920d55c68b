import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { RunDetail, RunSummary } from "../../packages/biplane/src/admin/runs/run-api.ts";
import type { TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { blackjack } from "../../packages/gallery/src/blackjack/blackjack.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { findRun, saveRun } from "../../packages/biplane/src/store/runs/run.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { TraceEvent } from "../../packages/biplane/src/rollout/trace.ts";
import { RolloutTracker } from "../../packages/biplane/src/store/runs/rollout-facts.ts";
import { writeEvents } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { lakeMoves, playAll } from "../rollout/playing.ts";
import { within } from "../support/within.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";
import { bundledScript } from "../support/bundled-script.ts";

interface Runs {
  readonly runs: readonly RunSummary[];
  readonly next: string | null;
}

interface Traces {
  readonly traces: readonly TraceInfo[];
  readonly next: string | null;
}

const seeds = (count: number) => Array.from({ length: count }, (_, at) => at);

async function play(gateway: RunGateway, run: string, count = 10): Promise<void> {
  await using game = blackjack();
  await playAll(game, seedRows(seeds(count)), {
    agent: randomAgent(),
    store: gateway.runs,
    run,
    settings: { key: "K" },
  });
}

describe("runs", () => {
  test("are listed newest first, searchable, and paged", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    for (const run of ["a", "b", "c"]) await play(gateway, run);
    const first = await gateway.ask<Runs>("GET /api/runs?limit=2");
    expect(first.json.runs.map(({ id }) => id)).toEqual(["c", "b"]);
    const rest = await gateway.ask<Runs>(`GET /api/runs?limit=2&after=${encodeURIComponent(first.json.next ?? "")}`);
    expect([rest.json.runs.map(({ id }) => id), rest.json.next]).toEqual([["a"], null]);
    const [run] = rest.json.runs;
    const traces = await readTraces(gateway.runs, "a");
    const mean = traces.reduce((sum, trace) => sum + (trace.totalReward ?? 0), 0) / 10;
    expect(run).toMatchObject({ status: "finished", target: "blackjack", agent: "random", rows: 10, finished: 10 });
    expect(run).toMatchObject({ failed: 0, meanReward: mean });
    expect(first.text).not.toContain("settings");
    expect((await gateway.ask<Runs>("GET /api/runs?query=BLACK")).json.runs).toHaveLength(3);
    expect((await gateway.ask<Runs>("GET /api/runs?query=taxi")).json).toEqual({ runs: [], next: null });
  });

  test("report what is played and the progress until the end", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    const slow = scriptedAgent(async ({ step }, { index }) => {
      if (step === 2 && index === 1) await wait;
      return step < 3 ? lakeMoves([step % 2 === 0 ? "RIGHT" : "LEFT"])[0] : "done";
    });
    const played = playAll(frozenLake(), seedRows([1, 2]), {
      agent: slow,
      store: gateway.runs,
      run: "a",
      concurrency: 2,
    });
    const open = async () => (await gateway.ask<RunDetail>("GET /api/runs/a")).json;
    await expect.poll(async () => (await open()).finished).toBe(1);
    await expect
      .poll(async () => (await open()).activeRollouts)
      .toMatchObject([{ index: 1, rowId: "seed_2", steps: 2, reward: 0 }]);
    goOn();
    await played;
    expect(await open()).toMatchObject({ finished: 2, activeRollouts: [] });
  });

  test("are opened with their summary, curve, distribution and endings", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await play(gateway, "a", 250);
    const { json } = await gateway.ask<RunDetail>("GET /api/runs/a");
    const summary = summarize(await scoreTraces(await readTraces(gateway.runs, "a"), totalReward));
    expect(json.summary.mean).toBeCloseTo(summary.mean ?? 0, 10);
    expect([json.summary.rollouts, json.summary.steps, json.summary.rows]).toEqual([250, summary.steps, 250]);
    expect(json.reasons).toEqual(summary.reasons);
    expect(json.curve).toHaveLength(200);
    expect(json.curve.at(-1)).toMatchObject({
      rollouts: 250,
      running: expect.closeTo(summary.mean ?? 0, 10) as number,
    });
    expect(json.distribution.reduce((sum, { count }) => sum + count, 0)).toBe(250);
    expect(json.distribution.map(({ from }) => from)).toEqual([-1, 0, 1]);
  });

  test.each([1, 3])("have the mean and the standard error of the summary, with %d repetitions", async (repetitions) => {
    await using gateway = await openRunGateway([frozenLake()]);
    await using game = blackjack();
    const options = { agent: randomAgent(), store: gateway.runs, run: "a", name: "first try", pass: 1, repetitions };
    await playAll(game, seedRows(seeds(8)), options);
    const summary = summarize(await scoreTraces(await readTraces(gateway.runs, "a"), totalReward), { pass: 1 });
    const { json: list } = await gateway.ask<Runs>("GET /api/runs?query=first%20try");
    const { json: one } = await gateway.ask<RunDetail>("GET /api/runs/a");
    for (const run of [list.runs[0], one]) {
      expect(run).toMatchObject({ name: "first try", pass: 1 });
      expect(run?.meanReward).toBeCloseTo(summary.mean ?? 0, 12);
      expect(run?.standardError).toBeCloseTo(summary.standardError, 12);
    }
    expect(one.summary).toMatchObject({ rows: 8, pass: 1, passAt: summary.passAt });
  });

  test("that failed say how and how often, and failures are found by their reason", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await using lake = frozenLake();
    const agent = scriptedAgent(({ step }) => {
      if (step > 0) throw Object.assign(new Error("the model <b>is gone</b>"), { status: 503 });
      return { tool: "lake_move", input: { action: "LEFT" } };
    });
    await playAll(lake, seedRows(seeds(4)), { agent, store: gateway.runs, run: "a" });
    const { json } = await gateway.ask<RunDetail>("GET /api/runs/a");
    expect(json).toMatchObject({ finished: 4, failed: 4, masked: 4, meanReward: null, reasons: { "error: model": 4 } });
    const all = await gateway.ask<Traces>("GET /api/runs/a/traces?reason=error");
    expect(all.json.traces).toHaveLength(4);
    expect(all.json.traces[0]).toMatchObject({
      reason: "error: model",
      message: "the model <b>is gone</b>",
      steps: 1,
      reward: null,
    });
    expect((await gateway.ask<Traces>("GET /api/runs/a/traces?reason=error:%20model")).json.traces).toHaveLength(4);
    expect((await gateway.ask<Traces>("GET /api/runs/a/traces?reason=stop")).json.traces).toEqual([]);
  });

  test("whose process died are marked so, and their open rollouts end", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await play(gateway, "new", 30);
    const run = await findRun(gateway.runs, "new");
    const dead = { ...run, id: "dead", status: "running" as const, pid: 2 ** 22 + 1, endedAt: undefined };
    await saveRun(gateway.runs, dead);
    const tracker = new RolloutTracker("dead");
    const traces = await gateway.runs.db.selectFrom("trace_events").select("line").orderBy("rollout").execute();
    const lines = traces.map(({ line }) => line).filter((line) => !/^\{"type":"end".*"index":7,/.test(line));
    const events = lines.flatMap((line) => {
      const added = tracker.add(JSON.parse(line) as TraceEvent);
      return added ? [{ ...added, line }] : [];
    });
    await writeEvents(gateway.runs, "dead", events);
    const { json } = await gateway.ask<Runs>("GET /api/runs");
    const by = (id: string) => json.runs.find((each) => each.id === id);
    expect(by("new")).toMatchObject({ status: "finished", finished: 30, failed: 0 });
    expect(by("dead")).toMatchObject({ status: "interrupted", finished: 29, failed: 0 });
    const cut = await gateway.ask<Traces>("GET /api/runs/dead/traces?reason=error:%20cancelled");
    expect(cut.json.traces).toMatchObject([{ message: "The process ended before the rollout." }]);
  });

  test("do not show what may be a key in an address", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await play(gateway, "a");
    const run = await findRun(gateway.runs, "a");
    await saveRun(gateway.runs, { ...run, target: "https://me:pass@host/k/biplane_t_secret/mcp" });
    const { json, text } = await gateway.ask<RunDetail>("GET /api/runs/a");
    expect(json.target).toBe("https://…@host/k/…/mcp");
    expect(text).not.toMatch(/secret|pass@/);
  });

  test("need a signed-in person with the scope; a missing run is a 404", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await gateway.logIn("bob", ["episodes"]);
    const lines = [
      "GET /api/runs",
      "GET /api/runs/a",
      "GET /api/runs/a/traces",
      "GET /api/traces/a:b",
      "GET /api/compare",
    ];
    for (const line of lines) {
      expect([line, (await gateway.ask(line, undefined, "bob")).status]).toEqual([line, 403]);
      expect([line, (await gateway.ask(line, undefined, "nobody")).status]).toEqual([line, 401]);
    }
    for (const line of ["GET /api/runs/a", "GET /api/runs/a/traces", "GET /api/traces/a:b", "GET /api/traces/a"])
      expect([line, (await gateway.ask<Problem>(line)).status]).toEqual([line, 404]);
    const refused = await gateway.ask<Problem>("GET /api/compare?left=a");
    expect([refused.status, refused.json.message]).toEqual([400, "The query must have property 'right'."]);
  });
});

test("a run of another process is reported as it progresses, while a reader is connected", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  const news = gateway.hear("runs");
  await news.next();
  const hear = async () => {
    for (;;) {
      const { value = [] } = (await within(15_000, "news of the run", news.next())) as { value?: readonly string[] };
      if (value.length === 0 || value.includes("elsewhere"))
        return (await gateway.ask<RunDetail>("GET /api/runs/elsewhere")).json;
    }
  };
  const words = [bundledScript(new URL("run-child.ts", import.meta.url)), gateway.file, "5"];
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
