import { environment } from "biplane";
import { expect, test } from "vitest";
import type { TraceComparison, TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { traceBytes } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { playAll } from "../rollout/playing.ts";
import { heldMs } from "../support/hold-meter.ts";
import { openRunGateway } from "./run-server.ts";

/** Each step returns some hundred short texts, 50 KiB together. */
function report() {
  return environment({
    name: "report",
    version: "1",
    start: () => ({ pages: 0 }),
    observe: ({ pages }) => ({ pages }),
    tools: (define) => ({
      page_read: define({
        run: (_, { state }) => {
          state.pages++;
          return { lines: Array.from({ length: 500 }, (_, at) => ({ at, text: `page ${state.pages} `.repeat(10) })) };
        },
      }),
    }),
  });
}

test("comparing two traces of 10 MB holds the server no longer than other requests", async () => {
  await using gateway = await openRunGateway([report()]);
  const ids: string[] = [];
  for (const run of ["one", "two"]) {
    await using game = report();
    const agent = scriptedAgent(({ step }) => (step < 120 ? { tool: "page_read", input: {} } : "done"));
    await playAll(game, seedRows([1]), { agent, store: gateway.runs, run, steps: 130 });
    const [trace] = (await gateway.ask<{ traces: TraceInfo[] }>(`GET /api/runs/${run}/traces`)).json.traces;
    const id = trace?.id ?? expect.fail("nothing was played");
    expect(await traceBytes(gateway.runs, run, id.slice(run.length + 1))).toBeGreaterThan(10_000_000);
    ids.push(encodeURIComponent(id));
  }
  const address = `${gateway.url}/api/compare?left=${ids[0]}&right=${ids[1]}`;
  const compare = async () => {
    const response = await fetch(address, { headers: gateway.cookie() });
    return response.arrayBuffer();
  };
  await compare(); // the first one also compiles
  let body = new ArrayBuffer(0);
  const held = await heldMs(async () => (body = await compare()));
  const { divergence, left } = JSON.parse(Buffer.from(body).toString()) as TraceComparison;
  expect([divergence, left.trace.length]).toEqual([null, 120]);
  expect(held).toBeLessThan(100);
}, 120_000);
