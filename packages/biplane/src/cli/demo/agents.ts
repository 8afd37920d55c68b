import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@biplane/core/client";
import type { Client } from "@biplane/core/client";
import { Environment, messageOf } from "@biplane/core/internal";
import { gallery } from "@biplane/gallery";
import type { Agent } from "../../rollout/agent/agent.ts";
import { randomAgent } from "../../rollout/agent/random.ts";
import { make } from "../../rollout/make.ts";
import { rollout } from "../../rollout/rollout.ts";
import { seedRows } from "../../rollout/row.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { Served } from "@biplane/core";

export interface DemoAgentsOptions {
  /** Where the server listens. */
  readonly url: string;
  readonly served: readonly Served[];
  /** Where runs are kept. */
  readonly store: SqlStore;
  readonly report: (fault: string) => void;
}

/** Starts agents that call tools and play environments, so that the admin page shows activity. */
export function startAgents(options: DemoAgentsOptions): AsyncDisposable {
  const stop = new AbortController();
  const environments = options.served.filter((each) => each instanceof Environment);
  const work = [
    clerk(options.url, stop.signal),
    ...environments.slice(0, 2).map((environment, at) => player(environment, { ...options, at, signal: stop.signal })),
  ].map((each) => each.catch((error: unknown) => options.report(messageOf(error))));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(work);
    },
  };
}

/** Calls tools over MCP in a loop. Some of the calls need approval. */
async function clerk(url: string, signal: AbortSignal): Promise<void> {
  // Without tasks, a call that needs approval returns at once, and the loop goes on.
  await using client = await connect(`${url}/mcp`, { clientInfo: { name: "clerk", version: "1.0.0" }, tasks: false });
  for (let round = 0; !signal.aborted; round++) {
    const [tool, input] = jobs[round % jobs.length] as (typeof jobs)[number];
    await attempt(client, tool, input);
    await pause(900 + (round % 3) * 400, undefined, { signal }).catch(() => undefined);
  }
}

const jobs: readonly (readonly [string, Record<string, unknown>])[] = [
  ["list_customers", {}],
  ["get_customer", { customerId: "ada" }],
  ["workspace_list", {}],
  ["refund_customer", { customerId: "alan", amount: 12 }],
  ["refund_customer", { customerId: "ada", amount: 250 }],
  ["orders_by_month", { year: 2026 }],
  ["workspace_read", { path: "notes/suppliers.md" }],
  ["get_customer", { customerId: "nobody" }],
  ["refund_customer", { customerId: "grace", amount: 5000 }],
];

/** The admin page shows the outcome, so errors are ignored here. */
async function attempt(client: Client, tool: string, input: Record<string, unknown>): Promise<void> {
  await client.callTool(tool, input).catch(() => undefined);
}

interface PlayerOptions extends DemoAgentsOptions {
  readonly at: number;
  readonly signal: AbortSignal;
}

/**
 * Plays run after run at a slow pace, and one quick run for the statistics. The quick run uses a separate environment,
 * because its thousand calls would dwarf the live chart.
 */
async function player(environment: Environment, { store, at, signal }: PlayerOptions): Promise<void> {
  const play = async (
    target: Environment,
    agent: Agent,
    { rows, concurrency }: { rows: number; concurrency: number },
  ) => {
    const seeds = seedRows(Array.from({ length: rows }, (_, seed) => seed + at * 1000));
    await using envs = await make(target, { rows: seeds });
    for await (const _ of rollout(envs, { agent, steps: 60, concurrency, store, signal, env: {} }))
      if (signal.aborted) return;
  };
  const playQuickly = async () => {
    await using separate = gallery[environment.name]?.();
    if (separate) await play(separate, randomAgent({ seed: at }), { rows: 60, concurrency: 4 });
  };
  const playOn = async () => {
    for (let round = 1; !signal.aborted; round++)
      await play(environment, slowed(randomAgent({ seed: round }), signal), { rows: 6, concurrency: 1 });
  };
  await Promise.all([playQuickly(), playOn()]);
}

/** The same agent with a pause before each turn. */
function slowed(agent: Agent, signal: AbortSignal): Agent {
  return {
    ...agent,
    begin: async (context) => {
      const player = await agent.begin(context);
      return {
        ...player,
        turn: async (view) => {
          await pause(700, undefined, { signal }).catch(() => undefined);
          return player.turn(view);
        },
      };
    },
  };
}
