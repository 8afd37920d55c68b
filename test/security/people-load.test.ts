import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { environment, resource } from "biplane";
import type { ShownTrace } from "../../src/desk/contract.ts";
import { scriptedAgent } from "../../src/rollout/agent/scripted.ts";
import { seedRows } from "../../src/rollout/row.ts";
import { openRunHouse } from "../desk/run-house.ts";
import type { RunHouse } from "../desk/run-house.ts";
import { openServedHouse } from "../desk/served-house.ts";
import { playAll } from "../rollout/playing.ts";

/** The longest that nobody else got a turn while `work` was done. */
async function longestPauseMs(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

const grinder = (size = 0) =>
  environment({
    name: "grinder",
    version: "1",
    start: () => ({ turns: 0 }),
    observe: ({ turns }) => ({ turns }),
    tools: (define) => ({
      grind: define({
        description: "Grinds",
        run: (_, call) => {
          const until = performance.now() + (size === 0 ? 2 : 0);
          while (performance.now() < until);
          call.state.turns++;
          return { turns: call.state.turns, text: "x".repeat(size) };
        },
      }),
    }),
  });

async function record(house: RunHouse, env: ReturnType<typeof grinder>, steps: number): Promise<string> {
  const run = `run-${crypto.randomUUID()}`;
  const agent = scriptedAgent(Array.from({ length: steps }, () => ({ name: "grind", input: {} })));
  const played = await playAll(env, seedRows([1]), { agent, steps, store: house.runs, run });
  console.log("PLAYED", JSON.stringify(played[0]?.trace.ending), played[0]?.trace.steps.length);
  const { json } = await house.ask<{ traces: ShownTrace[] }>(`GET /api/runs/${run}/traces`);
  return json.traces[0]?.id ?? expect.fail("nothing was played");
}

test("playing a long trace again keeps nobody else waiting", async () => {
  const env = grinder();
  await using house = await openRunHouse([env]);
  const id = await record(house, env, 400);
  let status = 0;
  const pause = await longestPauseMs(async () => {
    const a = await house.ask(`POST /api/traces/${encodeURIComponent(id)}/replay`, {}); status = a.status; console.log("R", a.text.slice(0, 400));
  });
  expect(status).toBe(201);
  expect(pause).toBeLessThan(300);
});

test("two traces of ten megabytes are compared while others get their turns", async () => {
  const env = grinder(100_000);
  await using house = await openRunHouse([env]);
  const [left, right] = [await record(house, env, 100), await record(house, env, 100)];
  let found = { status: 0, text: "" };
  const pause = await longestPauseMs(async () => {
    found = await house.ask(`GET /api/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`);
  });
  expect(found.status).toBe(200);
  console.log("COMPARE", pause, found.text.length);
  expect(pause).toBeLessThan(1000);
});

test("a page of fifty megabytes is read, and no copy of it is kept", async () => {
  await using house = await openServedHouse();
  const html = `<!doctype html>${"x".repeat(50_000_000)}`;
  house.shop.add(resource({ name: "huge", uri: "ui://huge", mimeType: "text/html;profile=mcp-app", read: () => html }));
  const mine = await house.logIn();
  const startedAt = performance.now();
  const { status } = await house.ask("GET /api/resource?uri=ui://huge", undefined, mine);
  console.log("HTML", performance.now() - startedAt);
  expect(status).toBe(200);
  const calls = await house.ask("GET /api/calls", undefined, mine);
  const [call] = calls.json["calls"] as { id: string }[];
  expect((await house.ask(`GET /api/calls/${call?.id}`, undefined, mine)).text.length).toBeLessThan(40_000);
});
