import { environment } from "biplane";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { SqlStore } from "biplane/store";
import { lakeMoves, playAll, solution } from "../rollout/playing.ts";
import { problemsEverywhere } from "../support/page.ts";

/** Hostile text of tools, models and files. */
export const hostile = {
  html: `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script></td></pre>`,
  escape: "before\u001B[2J\u001B]0;title\u0007after",
  direction: "abc\u202Etxt.exe\u2066",
  long: "A".repeat(1_000_000),
};

/** A world that says and draws what nobody should believe. */
export function hostileWorld(): Environment {
  return environment({
    name: "hostile-world",
    version: "1.0.0",
    start: () => ({ said: 0 }),
    observe: ({ said }) => ({ said, words: hostile.html, hidden: hostile.escape, turned: hostile.direction }),
    tools: (tool) => ({
      thing_say: tool({
        description: hostile.html,
        input: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
        run: (_, { state }) => {
          state.said++;
          return { list: [{ [hostile.html]: hostile.html, number: 1 }], long: hostile.long, turned: hostile.direction };
        },
      }),
    }),
    reward: () => ({ [hostile.html]: 1, cost: -0.25 }),
    status: ({ said }) => ({ terminated: said >= 3 }),
    render: () => `${hostile.html}\n${hostile.escape}\n${hostile.direction}\n\u001B[30;40;8mnot hidden\u001B[0m`,
  });
}

const seeds = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A random run of the lake, and two tries of it by a script: one gets across, one falls. */
export async function playLake(store: SqlStore): Promise<void> {
  await playAll(frozenLake(), seedRows(seeds(30)), {
    agent: randomAgent(),
    store,
    run: "random-lake",
    name: "walk by chance",
    pass: 0.5,
  });
  const rows = seedRows([42, 42, 42], { system: "Cross the lake.", prompt: "You see {observation}" });
  const script = scriptedAgent(
    (view, { index }) => {
      if (index === 2) throw Object.assign(new Error("the model is asleep"), { status: 503 });
      const moves = index === 0 ? solution : ["DOWN", "DOWN", "UP", "RIGHT"];
      const action = moves[view.step];
      if (action === undefined) return "I am done.";
      const [call] = lakeMoves([view.step === 2 && index === 1 ? "JUMP" : action]);
      return call;
    },
    { name: "script", model: "paper" },
  );
  await playAll(frozenLake(), rows, { agent: script, store, run: "scripted-lake" });
}

/** One rollout of the hostile world, by an agent that is no better. */
export async function playHostile(store: SqlStore): Promise<void> {
  const agent = scriptedAgent(
    ({ step }) => ({
      message: {
        role: "assistant",
        content: `${hostile.html}${hostile.direction}${hostile.escape}${hostile.long}`,
        reasoning_content: hostile.html,
        tool_calls: [
          {
            id: `call_${step}`,
            type: "function",
            function: { name: "thing_say", arguments: JSON.stringify({ what: hostile.html }) },
          },
        ],
      },
      finishReason: "tool_calls",
    }),
    { name: hostile.html, model: hostile.direction },
  );
  await playAll(hostileWorld(), seedRows([7], { system: hostile.html }), { agent, store, run: "hostile-run" });
}

/** Light and dark, wide and narrow: everybody can use the page as it is now, and nothing hangs over its edge. */
export async function expectUsable(page: Page): Promise<void> {
  expect(await problemsEverywhere(page)).toEqual([]);
}
