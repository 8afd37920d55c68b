import { expect, test } from "vitest";
import { firstDivergence } from "../../packages/biplane/src/admin/runs/compare-traces.ts";
import type { TraceComparison, TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { Trace } from "../../packages/biplane/src/rollout/trace.ts";
import { lakeMoves, playAll, solution } from "../rollout/playing.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";

async function played(gateway: RunGateway, run: string, moves: readonly string[], seed = 42): Promise<string> {
  await using lake = frozenLake();
  await playAll(lake, seedRows([seed]), { agent: scriptedAgent(lakeMoves(moves)), store: gateway.runs, run });
  const { json } = await gateway.ask<{ traces: TraceInfo[] }>(`GET /api/runs/${run}/traces`);
  return encodeURIComponent(json.traces[0]?.id ?? "");
}

test("two traces are aligned from their first difference", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  const one = await played(gateway, "one", solution);
  const same = await played(gateway, "same", solution);
  const other = await played(gateway, "other", ["DOWN", "DOWN", "LEFT"]);
  const shorter = await played(gateway, "shorter", solution.slice(0, 3));
  const elsewhere = await played(gateway, "elsewhere", solution, 7);
  const compare = async (left: string, right: string) =>
    (await gateway.ask<TraceComparison>(`GET /api/compare?left=${left}&right=${right}`)).json;
  expect((await compare(one, same)).divergence).toBeNull();
  const parted = await compare(one, other);
  expect(parted.divergence).toEqual({
    step: 2,
    what: "tool_call",
    left: { tool: "lake_move", input: { action: "RIGHT" } },
    right: { tool: "lake_move", input: { action: "LEFT" } },
  });
  expect([parted.left.trace.length, parted.right.trace.length]).toEqual([6, 3]);
  expect((await compare(one, shorter)).divergence).toMatchObject({
    step: 3,
    what: "ending",
    left: { next: { tool: "lake_move" } },
    right: { reason: "stop" },
  });
  expect((await compare(one, elsewhere)).divergence).toMatchObject({ step: -1, what: "prompt" });
  const gone = await gateway.ask<Problem>(`GET /api/compare?left=${one}&right=nothing:here`);
  expect(gone.status).toBe(404);
});

test("the first difference is found in any pair of traces, and equal traces have none", async () => {
  await using gateway = await openRunGateway([frozenLake()]);
  await played(gateway, "one", solution);
  const [trace] = await readTraces(gateway.runs, "one");
  const base = trace ?? expect.fail("nothing was played");
  const withStep = (at: number, change: object): Trace => ({
    ...base,
    steps: base.steps.map((step, place) => (place === at ? { ...step, ...change } : step)),
  });
  const cases: [Trace, object][] = [
    [
      { ...base, observation: { other: 1 } },
      { step: -1, what: "observation" },
    ],
    [withStep(3, { observation: "other" }), { step: 3, what: "observation", right: "other" }],
    [withStep(4, { reward: 9 }), { step: 4, what: "reward", left: 0, right: 9 }],
    [withStep(1, { terminated: true }), { step: 1, what: "terminated", left: false, right: true }],
    [withStep(2, { truncated: true }), { step: 2, what: "truncated" }],
    [withStep(0, { call: undefined }), { step: 0, what: "tool_call" }],
    [
      { ...base, ending: { ...base.ending, reason: "error", kind: "model" } },
      { step: 6, what: "ending" },
    ],
  ];
  for (const [other, divergence] of cases) {
    expect(await firstDivergence(base, other)).toMatchObject(divergence);
    expect(await firstDivergence(other, other)).toBeNull();
  }
});
