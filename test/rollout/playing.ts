import { make } from "../../packages/biplane/src/rollout/make.ts";
import type { EnvironmentTarget } from "biplane/client";
import type { MakeOptions } from "../../packages/biplane/src/rollout/make.ts";
import type { PlayedRow } from "../../packages/biplane/src/rollout/played-row.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import type { RolloutOptions } from "../../packages/biplane/src/rollout/rollout.ts";
import type { Row } from "../../packages/biplane/src/rollout/row.ts";

/** Plays rows to their end and gives them back in the order in which they were given. */
export async function playAll(
  target: EnvironmentTarget,
  rows: readonly Row[],
  options: RolloutOptions & { make?: Omit<MakeOptions, "rows"> },
): Promise<PlayedRow[]> {
  const { make: making, ...rest } = options;
  await using envs = await make(target, { rows, ...making });
  const played: PlayedRow[] = [];
  for await (const row of rollout(envs, { env: {}, ...rest })) played.push(row);
  return played.sort((a, b) => a.trace.index - b.trace.index || a.trace.repetition - b.trace.repetition);
}

/** The way across the lake of seed 42. */
export const solution = ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"];
export const lakeMoves = (moves: readonly string[]) =>
  moves.map((action) => ({ tool: "lake_move", input: { action } }));

/** A trace without what is never twice the same. */
export function timeless(trace: object): unknown {
  const volatile = new Set(["rollout", "run", "startedAt", "durationMs", "timings", "agent", "model", "sessionId"]);
  return JSON.parse(JSON.stringify(trace, (key, value: unknown) => (volatile.has(key) ? undefined : value)));
}
