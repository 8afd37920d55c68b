import { expect, test } from "vitest";
import { environment, resource } from "biplane";
import type { TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { openRunGateway } from "../admin/run-server.ts";
import type { RunGateway } from "../admin/run-server.ts";
import { openServedGateway } from "../admin/admin-server.ts";
import { playAll } from "../rollout/playing.ts";

/** How many turns others got while `work` was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const take = () => {
    turns++;
    if (!isOver) setTimeout(take, 1);
  };
  take();
  await work();
  isOver = true;
  return turns;
}

const grinder = () =>
  environment({
    name: "grinder",
    version: "1",
    start: () => ({ turns: 0 }),
    observe: ({ turns }) => ({ turns }),
    tools: (define) => ({
      grind: define({
        description: "Grinds",
        run: (_, call) => {
          const until = performance.now() + 8;
          while (performance.now() < until);
          call.state.turns++;
          return call.state.turns;
        },
      }),
    }),
  });

async function record(gateway: RunGateway, env: ReturnType<typeof grinder>, steps: number): Promise<string> {
  const run = `run-${crypto.randomUUID()}`;
  const agent = scriptedAgent(Array.from({ length: steps }, () => ({ tool: "grind", input: {} })));
  await playAll(env, seedRows([1]), { agent, steps, store: gateway.runs, run });
  const { json } = await gateway.ask<{ traces: TraceInfo[] }>(`GET /api/runs/${run}/traces`);
  return json.traces[0]?.id ?? expect.fail("nothing was played");
}

test("replaying a long trace does not delay other requests", async () => {
  const env = grinder();
  await using gateway = await openRunGateway([env]);
  const id = await record(gateway, env, 200);
  let status = 0;
  const turns = await turnsDuring(async () => {
    ({ status } = await gateway.ask(`POST /api/traces/${encodeURIComponent(id)}/replay`, {}));
  });
  expect(status).toBe(201);
  expect(turns).toBeGreaterThan(20);
});

test("a page of twenty megabytes is read, and no copy of it is kept", async () => {
  await using gateway = await openServedGateway();
  const html = `<!doctype html>${"x".repeat(20_000_000)}`;
  gateway.shop.add(
    resource({ name: "huge", uri: "ui://huge", mimeType: "text/html;profile=mcp-app", read: () => html }),
  );
  const mine = await gateway.logIn();
  const { status } = await gateway.ask("GET /api/resource?uri=ui://huge", undefined, mine);
  expect(status).toBe(200);
  const calls = await gateway.ask("GET /api/calls", undefined, mine);
  const [call] = calls.json["calls"] as { id: string }[];
  expect((await gateway.ask(`GET /api/calls/${call?.id}`, undefined, mine)).text.length).toBeLessThan(40_000);
});
