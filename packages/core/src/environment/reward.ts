import type { Outcome } from "../call/outcome.ts";

/** A step, as reward functions see it. */
export interface RewardStep<State> {
  readonly before: State;
  readonly after: State;
  readonly tool: string;
  readonly input: unknown;
  readonly outcome: Outcome;
}

/** A number, null for no reward, or named parts that are added. */
export type Reward = number | null | Readonly<Record<string, number>>;

/** Weighted parts of a reward, each with its own score function. */
export type Rubric<State> = Readonly<
  Record<string, { readonly weight?: number; readonly score: (step: RewardStep<State>) => number | Promise<number> }>
>;

/** A validated reward and its parts. */
export interface Rewarded {
  readonly reward: number | null;
  readonly parts: Readonly<Record<string, number>> | undefined;
}

export function readReward(reward: Reward | undefined): Rewarded {
  if (reward === null || reward === undefined) return { reward: null, parts: undefined };
  if (typeof reward === "number") return { reward: finite(reward, "The reward"), parts: undefined };
  const parts = Object.entries(reward).map(
    ([name, value]) => [name, finite(value, `The reward part ${name}`)] as const,
  );
  return { reward: parts.reduce((sum, [, value]) => sum + value, 0), parts: Object.fromEntries(parts) };
}

/** Adds two rewards. Null adds nothing, and the sum of two nulls is null. */
export function addRewards(one: Rewarded, other: Rewarded): Rewarded {
  const reward = one.reward === null ? other.reward : one.reward + (other.reward ?? 0);
  if (!one.parts || !other.parts) return { reward, parts: one.parts ?? other.parts };
  const parts: Record<string, number> = { ...one.parts };
  for (const [name, value] of Object.entries(other.parts)) parts[name] = (parts[name] ?? 0) + value;
  return { reward, parts };
}

export async function applyRubric<State>(rubric: Rubric<State>, step: RewardStep<State>): Promise<Reward> {
  const scored = Object.entries(rubric).map(async ([name, { weight = 1, score }]) => {
    return [name, weight * finite(await score(step), `The score of ${name}`)] as const;
  });
  return Object.fromEntries(await Promise.all(scored));
}

function finite(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError(`${what} must be a finite number, not ${String(value)}.`);
}
