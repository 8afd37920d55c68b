import { make } from "../../packages/biplane/src/rollout/make.ts";
import type { EnvironmentTarget } from "biplane/client";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";

export interface Speed {
  readonly steps: number;
  readonly seconds: number;
  /** CPU time of this process only. */
  readonly cpu: number;
}

export interface Load {
  readonly rows: number;
  readonly steps: number;
  readonly atOnce: number;
}

/** Our engine with an agent that always makes the same move, which never ends the episode. */
export async function playOurs(target: EnvironmentTarget, { rows, steps, atOnce }: Load): Promise<Speed> {
  const agent = scriptedAgent(() => ({ tool: "lake_move", input: { action: "LEFT" } }));
  await using envs = await make(target, { rows: seedRows(Array.from({ length: rows }, (_, at) => at)) });
  const [began, before] = [performance.now(), process.cpuUsage()];
  let taken = 0;
  for await (const { trace } of rollout(envs, { agent, steps, concurrency: atOnce, env: {} })) {
    if (trace.ending.reason !== "max_steps")
      throw new Error(`a rollout ended by ${trace.ending.reason}: ${trace.ending.message}`);
    taken += trace.steps.length;
  }
  const { user, system } = process.cpuUsage(before);
  return { steps: taken, seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 };
}
