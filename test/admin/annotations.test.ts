import { expect, test } from "vitest";
import type { TraceAnnotation, TraceDetail, TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { scoredTraces } from "../../packages/biplane/src/cli/rollout/scored-traces.ts";
import { annotationLines, evalProtocolLines } from "../../packages/biplane/src/rollout/export/lines.ts";
import { rolloutCsv } from "../../packages/biplane/src/rollout/export/rollout-table.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { lakeMoves, playAll } from "../rollout/playing.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";

async function played(gateway: RunGateway): Promise<string> {
  await using lake = frozenLake();
  const agent = scriptedAgent([...lakeMoves(["DOWN", "DOWN"]), "enough"]);
  await playAll(lake, seedRows([42]), { agent, store: gateway.runs, run: "noted" });
  const { json } = await gateway.ask<{ traces: TraceInfo[] }>("GET /api/runs/noted/traces");
  return encodeURIComponent(json.traces[0]?.id ?? "");
}

test("people annotate a rollout and its steps, and an export has what they wrote", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  const id = await played(gateway);
  const add = (body: object) => gateway.ask<TraceAnnotation>(`POST /api/traces/${id}/annotations`, body);
  const bad = await add({ text: "A hole is near.", step: 2, verdict: "bad" });
  expect([bad.status, bad.json.author]).toEqual([201, "ada"]);
  await add({ text: '=1+1 "quoted"' });
  const { json } = await gateway.ask<TraceDetail>(`GET /api/traces/${id}`);
  expect(json.annotations).toMatchObject([
    { text: "A hole is near.", step: 2, verdict: "bad" },
    { text: '=1+1 "quoted"', step: null, verdict: null },
  ]);
  const scored = await scoredTraces(gateway.runs, "noted", undefined);
  expect(annotationLines(scored)).toMatchObject([
    { run: "noted", row: "seed_42", index: 0, repetition: 0, score: 0, step: 2, verdict: "bad", author: "ada" },
    { step: null, verdict: null, text: '=1+1 "quoted"' },
  ]);
  expect(evalProtocolLines(scored)[0]?.["annotations"]).toMatchObject([{ step: 2 }, { step: null }]);
  expect(rolloutCsv(scored)).toContain('""text"":""A hole is near.""');
  const gone = await gateway.ask(`DELETE /api/traces/${id}/annotations/${bad.json.id}`);
  expect(gone.status).toBe(204);
  const again = await gateway.ask<Problem>(`DELETE /api/traces/${id}/annotations/${bad.json.id}`);
  expect([again.status, again.json.message]).toEqual([404, "There is no such annotation. It may have been deleted."]);
});

test("an annotation needs words, a step of the trace and the scope", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  const id = await played(gateway);
  await gateway.logIn("eve", ["runs"]);
  const problems: [object, number, string][] = [
    [{ text: " " }, 400, "text must not be blank."],
    [{ text: "x", step: 3 }, 400, "step must be null or a whole number from 0 to 2."],
    [{ text: "x".repeat(4001) }, 400, "4000"],
    [{ text: "x", verdict: "fine" }, 400, "verdict"],
  ];
  for (const [body, status, message] of problems) {
    const refused = await gateway.ask<Problem>(`POST /api/traces/${id}/annotations`, body);
    expect(refused.status).toBe(status);
    expect(refused.json.message).toContain(message);
  }
  const refused = await gateway.ask<Problem>(`POST /api/traces/${id}/annotations`, { text: "x" }, "eve");
  expect([refused.status, refused.json.message]).toEqual([403, "eve lacks the scope edit-runs."]);
  expect((await gateway.ask("POST /api/traces/noted:gone/annotations", { text: "x" })).status).toBe(404);
});

test("a trace has what scorers said about it, with reasons and parts", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  const id = await played(gateway);
  const scored = await scoreTraces(await readTraces(gateway.runs, "noted"), () => ({
    score: 0.5,
    reason: "It stops half-way.",
    metrics: { caution: { score: 1, reason: "No hole." } },
  }));
  await saveScoring(gateway.runs, "noted", { name: "judge", scorer: "judge.ts", scored, summary: summarize(scored) });
  const { json } = await gateway.ask<TraceDetail>(`GET /api/traces/${id}`);
  expect(json.scores).toMatchObject([
    {
      name: "judge",
      scorer: "judge.ts",
      score: 0.5,
      reason: "It stops half-way.",
      parts: [{ name: "caution", score: 1, reason: "No hole." }],
    },
  ]);
});

test("a rollout that is being played is opened with its steps so far, and then with its end", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  await using lake = frozenLake();
  let mayEnd: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (mayEnd = resolve));
  const agent = scriptedAgent(async ({ step }) => {
    if (step > 0) await ended;
    return step === 0 ? lakeMoves(["DOWN"])[0] : "enough";
  });
  const done = playAll(lake, seedRows([42]), { agent, store: gateway.runs, run: "live" });
  const open = async () =>
    (await gateway.ask<{ activeRollouts?: { id: string; steps: number }[] }>("GET /api/runs/live")).json
      .activeRollouts?.[0];
  await expect.poll(async () => (await open())?.steps).toBe(1);
  const id = encodeURIComponent((await open())?.id ?? "");
  const running = (await gateway.ask<TraceDetail>(`GET /api/traces/${id}`)).json;
  expect(running).toMatchObject({ isRunning: true, ending: null, failure: null, index: 0 });
  expect(running.trace.map(({ call }) => call?.tool)).toEqual(["lake_move"]);
  mayEnd();
  await done;
  const over = (await gateway.ask<TraceDetail>(`GET /api/traces/${id}`)).json;
  expect(over).toMatchObject({ isRunning: false, ending: { reason: "stop" } });
});
