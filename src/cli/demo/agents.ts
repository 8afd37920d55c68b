import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../client/connect.ts";
import type { Client } from "../../client/client.ts";
import { Environment } from "../../environment/environment.ts";
import { messageOf } from "../../errors.ts";
import { gallery } from "../../gallery/gallery.ts";
import type { Agent } from "../../rollout/agent/agent.ts";
import { randomAgent } from "../../rollout/agent/random.ts";
import { make } from "../../rollout/make.ts";
import { rollout } from "../../rollout/rollout.ts";
import { seedRows } from "../../rollout/row.ts";
import type { Store } from "../../store/store.ts";
import type { Served } from "../../wire/wing.ts";

export interface DemoAgentsOptions {
  /** Where the server listens. */
  readonly url: string;
  readonly served: readonly Served[];
  /** Where runs are kept. */
  readonly store: Store;
  readonly report: (fault: string) => void;
}

/** Agents that work and play until they are stopped, so that there is something to watch. */
export function startAgents(options: DemoAgentsOptions): AsyncDisposable {
  const stop = new AbortController();
  const environments = options.served.filter((each) => each instanceof Environment);
  const work = [
    clerk(options.url, stop.signal),
    ...environments.slice(0, 2).map((environment, at) => player(environment, { ...options, at, signal: stop.signal })),
  ].map((each) =>
    each.catch((error: unknown) => {
      if (!stop.signal.aborted) options.report(messageOf(error));
    }),
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(work);
    },
  };
}

/** Does a shop's small jobs over MCP, and now and then one that a person must agree to. */
async function clerk(url: string, signal: AbortSignal): Promise<void> {
  // Without tasks it is told at once that a call waits for a person, and does something else meanwhile.
  const who = { clientInfo: { name: "clerk", version: "1.0.0" }, tasks: false };
  await using client = await connect(`${url}/mcp`, { ...who, signal });
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

/** Whatever comes of it is told to those who watch; the clerk goes on. */
async function attempt(client: Client, tool: string, input: Record<string, unknown>): Promise<void> {
  await client.callTool(tool, input).catch(() => undefined);
}

interface PlayerOptions extends DemoAgentsOptions {
  readonly at: number;
  readonly signal: AbortSignal;
}

/**
 * Plays one run after another at a pace that can be watched and, so that there are figures, a quick one. That one is
 * played elsewhere: beside its thousand calls, the handful of each second that follows would be too small to see.
 */
async function player(environment: Environment, { store, at, signal }: PlayerOptions): Promise<void> {
  const play = async (
    where: Environment,
    agent: Agent,
    { rows, concurrency }: { rows: number; concurrency: number },
  ) => {
    const seeds = seedRows(Array.from({ length: rows }, (_, seed) => seed + at * 1000));
    await using envs = await make(where, { rows: seeds });
    for await (const _ of rollout(envs, { agent, steps: 60, concurrency, store, signal, env: {} }))
      if (signal.aborted) return;
  };
  const playQuickly = async () => {
    await using elsewhere = gallery[environment.name]?.();
    if (elsewhere) await play(elsewhere, randomAgent({ seed: at }), { rows: 60, concurrency: 4 });
  };
  const playOn = async () => {
    for (let round = 1; !signal.aborted; round++)
      await play(environment, unhurried(randomAgent({ seed: round }), signal), { rows: 6, concurrency: 1 });
  };
  await Promise.all([playQuickly(), playOn()]);
}

/** The same agent, at a pace that people can follow. */
function unhurried(agent: Agent, signal: AbortSignal): Agent {
  return {
    ...agent,
    begin: async (seat) => {
      const player = await agent.begin(seat);
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
