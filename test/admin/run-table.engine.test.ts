import { environment } from "biplane";
import { expect, test } from "vitest";
import type { ComparedRun, RunComparisonDetail } from "../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import type { RunDetail, RunFilters, RunSummary } from "../../packages/biplane/src/admin/runs/run-api.ts";
import type { TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { compareRuns } from "../../packages/biplane/src/rollout/score/compare.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { dollars, percent, precise, uncertainty } from "../../packages/biplane/src/rollout/score/figure-text.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { countRows } from "../../packages/biplane/src/store/copy-store.ts";
import { runHere } from "../cli/command.ts";
import { playAll } from "../rollout/playing.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";

interface Traces {
  readonly traces: readonly TraceInfo[];
}

interface Runs {
  readonly runs: readonly RunSummary[];
  readonly next: string | null;
}

/** A game whose reward is what the agent says, with two parts. */
function sayGame() {
  return environment({
    name: "say",
    version: "1",
    start: () => ({ said: 0, isOver: false }),
    observe: ({ said }) => ({ said }),
    tools: (define) => ({
      say: define({
        input: { type: "object", properties: { worth: { type: "number" } }, required: ["worth"] },
        run: ({ worth }, call) => {
          call.state.said = worth;
          call.state.isOver = true;
        },
      }),
    }),
    reward: ({ after }) => ({ style: after.said / 4, content: (after.said * 3) / 4 }),
    status: ({ isOver }) => ({ terminated: isOver }),
  });
}

interface Played {
  readonly run: string;
  readonly model: string;
  /** What each row is worth. An error fails the rollout. */
  readonly worth: readonly (number | Error)[];
  readonly cost?: number;
}

async function play(gateway: RunGateway, { run, model, worth, cost }: Played): Promise<void> {
  await using game = sayGame();
  const agent = scriptedAgent(
    (_, { index }) => {
      const said = worth[index] ?? 0;
      if (typeof said !== "number") throw said;
      return {
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "say", arguments: `{"worth":${said}}` } }],
        },
        finishReason: "tool_calls",
        ...(cost !== undefined && {
          cost,
          usage: { prompt_tokens: cost * 100, completion_tokens: 0, total_tokens: cost * 100 },
        }),
      };
    },
    { name: "talker", model },
  );
  await playAll(game, seedRows(worth.map((_, at) => at)), { agent, store: gateway.runs, run });
}

/** Masks the rollout. */
const away = Object.assign(new Error("The model is away."), { status: 503 });

async function playThree(gateway: RunGateway): Promise<void> {
  await play(gateway, { run: "one", model: "b-model", worth: [0, 0.5, 1], cost: 3 });
  await play(gateway, { run: "two", model: "a-model", worth: [1, 1, 1], cost: 1 });
  await play(gateway, { run: "three", model: "c-model", worth: [away, away] });
}

test("runs are listed in the order of any column, page by page, and those without a value come last", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await playThree(gateway);
  const listed = async (query: string) => (await gateway.ask<Runs>(`GET /api/runs?${query}`)).json;
  const ids = async (query: string) => (await listed(query)).runs.map(({ id }) => id);
  expect(await ids("")).toEqual(["three", "two", "one"]);
  expect(await ids("order=started")).toEqual(["one", "two", "three"]);
  expect(await ids("order=model")).toEqual(["two", "one", "three"]);
  expect(await ids("order=-model")).toEqual(["three", "one", "two"]);
  expect(await ids("order=-reward")).toEqual(["two", "one", "three"]);
  expect(await ids("order=reward")).toEqual(["one", "two", "three"]);
  expect(await ids("order=-pass")).toEqual(["two", "one", "three"]);
  expect(await ids("order=-cost")).toEqual(["one", "two", "three"]);
  expect(await ids("order=tokens")).toEqual(["two", "one", "three"]);
  expect(await ids("order=-failed")).toEqual(["three", "two", "one"]);
  expect(await ids("order=status")).toEqual(["three", "two", "one"]);
  for (const order of ["name", "-rollouts", "score", "-duration", "-reward", "model"]) {
    const whole = await ids(`order=${order}`);
    const first = await listed(`order=${order}&limit=2`);
    const rest = await listed(`order=${order}&limit=2&after=${encodeURIComponent(first.next ?? "")}`);
    expect([...first.runs, ...rest.runs].map(({ id }) => id)).toEqual(whole);
    expect(rest.next).toBeNull();
  }
  expect((await gateway.ask<Problem>("GET /api/runs?after=x")).json.message).toContain("`next` value");
});

test("the figures of a run agree in the list, on its page, in a comparison and in the terminal", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await play(gateway, { run: "first", model: "b", worth: [0, 0.5, 1, 0.123456, away], cost: 0.0123 });
  await play(gateway, { run: "second", model: "a", worth: [1, 0, 1, 1, 1], cost: 1.5 });
  await play(gateway, { run: "single", model: "c", worth: [0.25] });
  const list = (await gateway.ask<Runs>("GET /api/runs?order=started")).json.runs;
  const ids = list.map(({ id }) => id);
  const compared = (await gateway.ask<RunComparisonDetail>(`GET /api/run-comparison?runs=${ids.join(",")}`)).json;
  const lines = (await runHere("runs", "--store", gateway.file)).stdout.split("\n");
  for (const [at, listed] of list.entries()) {
    const page = (await gateway.ask<RunDetail>(`GET /api/runs/${listed.id}`)).json;
    expect(page).toMatchObject(listed);
    const { run, mean, standardError, interval, passRate, endings, steps } = compared.runs[at] as ComparedRun;
    expect(run).toEqual(listed);
    const { meanReward, summary } = page;
    expect([mean, standardError, passRate]).toEqual([meanReward, page.standardError, page.passRate]);
    expect([endings, steps]).toEqual([summary.reasons, summary.steps]);
    expect(interval).toEqual(standardError === null ? null : summary.interval);
    const shown = [
      `${page.finished}/${page.rows}`,
      precise(mean),
      ...(standardError === null ? [] : [uncertainty(standardError)]),
      percent(passRate ?? 0),
      String(page.failed),
      String(page.masked),
      page.cost === null ? "–" : dollars(page.cost),
    ];
    const line = lines.find((each) => each.startsWith(`${listed.id} `)) ?? "";
    expect(line.replaceAll(/\s+/g, " ")).toContain(shown.join(" "));
    const report = (await runHere("show", listed.id, "--store", gateway.file)).stdout;
    expect(report).toMatch(new RegExp(`rollouts +${page.finished} of ${page.rows}\n`));
    if (page.cost !== null) expect(report).toContain(`${dollars(page.cost)}\n`);
  }
  // One common row has no interval.
  expect(compared.runs[2]?.difference).toMatchObject({ standardError: null, interval: null });
});

test("a run whose rollouts all failed says so, and its figures are those of its summary", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await playThree(gateway);
  const { json } = await gateway.ask<Runs>("GET /api/runs?order=started");
  expect(json.runs.map(({ status }) => status)).toEqual(["finished", "finished", "failed"]);
  const summary = summarize(await scoreTraces(await readTraces(gateway.runs, "one"), totalReward));
  expect(json.runs[0]).toMatchObject({
    meanReward: summary.mean,
    standardError: summary.standardError,
    passRate: summary.passAt[1],
    tokens: summary.tokens,
    cost: summary.cost,
  });
  expect(json.runs[2]).toMatchObject({ meanReward: null, passRate: null, failed: 2, masked: 2, cost: null });
  const failed = await gateway.ask<Runs>("GET /api/runs?status=failed");
  expect(failed.json.runs.map(({ id }) => id)).toEqual(["three"]);
});

test("runs are named, tagged, filtered and deleted, by people who may", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await playThree(gateway);
  const changed = await gateway.ask<RunSummary>("PATCH /api/runs/one", { name: " first ", tags: ["x", "x", " y "] });
  // Not the whole run: a person may edit runs without viewing them.
  expect(changed.json).toEqual({ id: "one", name: "first", tags: ["x", "y"] });
  const tagged = await gateway.ask<Runs>("GET /api/runs?tag=y");
  expect(tagged.json.runs.map(({ id }) => id)).toEqual(["one"]);
  const filters = await gateway.ask<RunFilters>("GET /api/run-filters");
  expect(filters.json).toEqual({ tags: ["x", "y"], targets: ["say"], models: ["a-model", "b-model", "c-model"] });
  expect((await gateway.ask<Runs>("GET /api/runs?target=say&model=a-model")).json.runs).toHaveLength(1);
  await gateway.ask("PATCH /api/runs/one", { name: "" });
  expect((await gateway.ask<RunSummary>("GET /api/runs/one")).json).toMatchObject({ name: null, tags: ["x", "y"] });
  await gateway.logIn("eve", ["runs"]);
  for (const line of ["PATCH /api/runs/one", "DELETE /api/runs/one"]) {
    const refused = await gateway.ask<Problem>(line, {}, "eve");
    expect([refused.status, refused.json.message]).toEqual([403, "eve lacks the scope edit-runs."]);
  }
  expect((await gateway.ask("DELETE /api/runs/three")).status).toBe(204);
  expect((await gateway.ask("DELETE /api/runs/three")).status).toBe(404);
  expect(await countRows(gateway.runs)).toMatchObject({ runs: 2, rollouts: 6, run_figures: 2 });
});

test("a run that is being played is not deleted", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await using game = sayGame();
  let mayEnd: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (mayEnd = resolve));
  const agent = scriptedAgent(async () => {
    await ended;
    return "done";
  });
  const played = playAll(game, seedRows([1]), { agent, store: gateway.runs, run: "live" });
  await expect.poll(async () => (await gateway.ask("GET /api/runs/live")).status).toBe(200);
  const refused = await gateway.ask<Problem>("DELETE /api/runs/live");
  expect(refused.json).toEqual({
    error: "CONFLICT",
    message: "The run live is being played. Cancel it, then delete it.",
  });
  mayEnd();
  await played;
});

test("runs are compared row by row, as `biplane compare` does", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await playThree(gateway);
  await play(gateway, { run: "four", model: "d", worth: [0, 1, 0.25, 1] });
  const { json } = await gateway.ask<RunComparisonDetail>("GET /api/run-comparison?runs=one,four,three");
  const scored = async (run: string) => scoreTraces(await readTraces(gateway.runs, run), totalReward);
  const { difference, better, worse, equal } = compareRuns(await scored("one"), await scored("four"));
  expect(json.runs.map(({ run }) => run.id)).toEqual(["one", "four", "three"]);
  expect(json.runs[0]).toMatchObject({ difference: null, mean: 0.5, parts: { style: 0.125, content: 0.375 } });
  expect(json.runs[1]?.difference).toEqual({
    ...difference,
    better,
    worse,
    equal,
    masked: 0,
    onlyFirst: 0,
    onlyHere: 1,
  });
  expect(json.runs[2]).toMatchObject({
    mean: null,
    interval: null,
    endings: { "error: model": 2 },
    difference: { mean: null, masked: 2, onlyFirst: 1 },
  });
  // The row that changed most comes first.
  expect(json.rows.map(({ rowId, change }) => [rowId, change])).toEqual([
    ["seed_2", -0.75],
    ["seed_1", 0.5],
    ["seed_0", 0],
    ["seed_3", null],
  ]);
  expect([json.total, json.changed, json.isPartial, json.next]).toEqual([4, 2, false, null]);
  const second = await gateway.ask<RunComparisonDetail>("GET /api/run-comparison?runs=one,four&limit=1&after=1");
  expect(second.json.rows.map(({ rowId }) => rowId)).toEqual(["seed_1"]);
  expect(second.json.next).toBe("2");
  const problems: [string, string][] = [
    ["runs=one", "runs must name 2 to 8 different runs, not 1."],
    ["runs=one,gone", 'There is no run "gone".'],
    ["runs=one,two&scoring=judge", 'The run one has no scoring "judge". It has: none.'],
    ["runs=one,two&after=-1", "`after` must be the `next` value of the previous page."],
  ];
  for (const [query, message] of problems) {
    const refused = await gateway.ask<Problem>(`GET /api/run-comparison?${query}`);
    expect([refused.status, refused.json.message]).toEqual([400, message]);
  }
});

test("the scores of a scorer are compared with their parts, and the list shows the newest", async () => {
  await using gateway = await openRunGateway([sayGame()]);
  await playThree(gateway);
  for (const [run, good] of [
    ["one", 0.2],
    ["two", 0.6],
  ] as const) {
    const traces = await readTraces(gateway.runs, run);
    const scored = await scoreTraces(traces, ({ index }) => ({
      score: good + index / 10,
      reason: "because",
      metrics: { tone: { score: good, reason: "calm" } },
    }));
    await saveScoring(gateway.runs, run, { name: "judge", scorer: "judge.ts", scored, summary: summarize(scored) });
  }
  const { json } = await gateway.ask<RunComparisonDetail>("GET /api/run-comparison?runs=one,two&scoring=judge");
  expect(json.scorings).toEqual(["judge"]);
  expect(json.runs.map(({ mean }) => mean)).toEqual([expect.closeTo(0.3), expect.closeTo(0.7)]);
  expect(json.runs[1]?.parts["tone"]).toBeCloseTo(0.6);
  expect(json.runs[1]?.difference).toMatchObject({ mean: expect.closeTo(0.4) as number, better: 3, worse: 0 });
  const { runs } = (await gateway.ask<Runs>("GET /api/runs?order=-score")).json;
  expect(runs.map(({ id, score }) => [id, score?.name])).toEqual([
    ["two", "judge"],
    ["one", "judge"],
    ["three", undefined],
  ]);
  const scoresIn = async (run: string) =>
    (await gateway.ask<Traces>(`GET /api/runs/${run}/traces`)).json.traces.map(({ score }) => score);
  expect(await scoresIn("two")).toEqual([0.6, 0.7, 0.8].map((score) => expect.closeTo(score) as number));
  expect(await scoresIn("three")).toEqual([null, null]);
});
