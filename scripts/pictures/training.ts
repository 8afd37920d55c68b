import { make, rollout, scoreTraces, scriptedAgent, seedRows, taskRows } from "biplane/rollout";
import type { Agent, Row, RolloutContext, Scorer, Turn } from "biplane/rollout";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { gallery } from "@biplane/gallery";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { supportTasks } from "../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";
import { Chance } from "./chance.ts";
import { day, goTo, hour, pass } from "./clock.ts";
import { lakeMove } from "./lake-path.ts";

/** Runs of the last two weeks: checkpoints of a training, other models, and some that went wrong. */
export async function playRuns(file: string): Promise<void> {
  const store = await openStore(file);
  const now = Date.now();
  try {
    for (const [at, skill] of [0.2, 0.42, 0.55, 0.7, 0.8, 0.9].entries()) {
      goTo(now - (13 - at * 2) * day + at * hour);
      const [step, model] = [at * 50, `qwen3-8b-grpo-${at * 50}`];
      const tags = ["grpo", at === 5 ? "candidate" : "checkpoint"];
      await playLake(store, { run: `grpo-step-${step}`, name: `GRPO step ${step}`, model, skill, tags });
    }
    goTo(now - 2 * day - 5 * hour);
    await playLake(store, { ...baseline, model: "claude-sonnet-4-5", skill: 0.84, run: "baseline-sonnet" });
    goTo(now - 2 * day - 3 * hour);
    await playLake(store, {
      ...baseline,
      name: "Small baseline",
      model: "gpt-5-mini",
      skill: 0.6,
      run: "baseline-mini",
    });
    goTo(now - day - 9 * hour);
    await playSupport(store, {
      run: "support-sonnet",
      name: "Support, reference",
      model: "claude-sonnet-4-5",
      slips: 0.06,
    });
    goTo(now - day - 7 * hour);
    await playSupport(store, { run: "support-mini", name: "Support, small model", model: "gpt-5-mini", slips: 0.3 });
    goTo(now - day - 4 * hour);
    await playLake(store, { run: "outage", name: "Provider outage", model: "gpt-5-mini", skill: 0.3, isDown: true });
    goTo(now - 20 * hour);
    await playLake(store, {
      run: "grpo-step-300",
      name: "GRPO step 300",
      model: "qwen3-8b-grpo-300",
      tags: ["grpo", "checkpoint"],
      skill: 0.82,
      stopAfter: 18,
    });
  } finally {
    await store.close();
    goTo(now);
  }
}

const baseline = { name: "Baseline", tags: ["baseline"] };

interface LakeRun {
  readonly run: string;
  readonly name: string;
  readonly model: string;
  /** How probably a move is a good one. */
  readonly skill: number;
  readonly tags?: readonly string[];
  /** The model does not answer. */
  readonly isDown?: boolean;
  /** Cancels the run after so many rollouts. */
  readonly stopAfter?: number;
}

async function playLake(store: SqlStore, { skill, isDown, stopAfter, model, ...run }: LakeRun): Promise<void> {
  const rows = seedRows(
    Array.from({ length: 24 }, (_, at) => at + 1),
    { system: "Cross the frozen lake from S to G. Holes are H.", prompt: "You see {observation}" },
  );
  const chances = new Map<string, Chance>();
  const agent = scriptedAgent(
    ({ observation, step }, context) => {
      const chance = chanceOf(chances, context, model);
      pass(chance.between(700, 2600));
      if (isDown === true) throw Object.assign(new Error("The model's API answered 503: overloaded."), { status: 503 });
      const isTired = model === "gpt-5-mini" && context.index === 19;
      if (isTired && step === 2) throw Object.assign(new Error("The model's API answered 429."), { status: 429 });
      const { move, why } = lakeMove(observation, chance.next() < skill, chance);
      return turnOf({ tool: "lake_move", input: { action: move } }, { why, step, model });
    },
    { name: "model", model },
  );
  await play(store, { env: "frozen-lake", rows, agent, repetitions: 2, pass: 1, stopAfter, ...run });
  if (run.tags?.includes("baseline") || run.tags?.includes("candidate")) await judge(store, run.run);
}

interface SupportRun {
  readonly run: string;
  readonly name: string;
  readonly model: string;
  /** How probably a step of the plan is left out. */
  readonly slips: number;
}

/** Plays the plans of tasks, and now and then forgets a step of one. */
async function playSupport(store: SqlStore, { slips, model, ...run }: SupportRun): Promise<void> {
  const rows = (await taskRows(gallery["broadband-support"](), "test")).slice(0, 10);
  const chances = new Map<string, Chance>();
  const plans = new Map<string, Turn[]>();
  const agent = scriptedAgent(
    (_, context) => {
      const key = `${context.index}/${context.repetition}`;
      const chance = chanceOf(chances, context, model);
      pass(chance.between(1400, 5200));
      const plan = plans.get(key) ?? planOf(context, { slips, model, chance });
      plans.set(key, plan);
      return plan.shift();
    },
    { name: "model", model },
  );
  await play(store, { env: "broadband-support", rows, agent, repetitions: 1, tags: ["support"], ...run });
  await judge(store, run.run);
}

function planOf(context: RolloutContext, options: { slips: number; model: string; chance: Chance }): Turn[] {
  const { slips, model, chance } = options;
  const id = JSON.stringify(context.row);
  const task = supportTasks.find((each) => id.includes(`"${each.id}"`));
  const kept = (task?.plan ?? []).filter((step) => typeof step === "string" || chance.next() >= slips);
  return kept.map((step, at) => {
    const [tool, input] = typeof step === "string" ? (["message_customer", { message: step }] as const) : step;
    return turnOf({ tool, input: { ...input } }, { why: "", step: at, model });
  });
}

/** A judge that reads how a rollout ended, with two parts. */
const judged: Scorer = ({ steps, totalReward }) => {
  const isSolved = (totalReward ?? 0) > 0;
  const wasted = wastedMoves(steps.map(({ observation }) => observation));
  const result = isSolved ? 1 : 0;
  const care = Math.max(0, (steps.length <= 9 ? 1 : 0.7) - wasted * 0.2);
  return {
    score: Math.round((result * 0.7 + care * 0.3) * 100) / 100,
    reason: isSolved
      ? `Reached the goal in ${steps.length} steps.`
      : `Did not reach the goal. The episode was over after ${steps.length} steps.`,
    metrics: {
      result: { score: result, reason: "Counts 70%." },
      care: { score: Math.round(care * 10) / 10, reason: `Counts 30%. ${careText(wasted, steps.length)}` },
    },
  };
};

function careText(wasted: number, steps: number): string {
  if (wasted > 0) return `${wasted === 1 ? "One move" : `${wasted} moves`} led nowhere.`;
  return steps <= 9 ? "No unnecessary steps." : "Some steps were not needed.";
}

/** Moves on the lake after which the player was where they were before. */
function wastedMoves(observations: readonly unknown[]): number {
  const places = [0, ...observations.map((each) => (each as { position?: unknown } | null)?.position)];
  return places.filter((place, at) => at > 0 && typeof place === "number" && place === places[at - 1]).length;
}

async function judge(store: SqlStore, run: string): Promise<void> {
  const scored = await scoreTraces(await readTraces(store, run), judged);
  pass(40_000);
  await saveScoring(store, run, {
    name: "judge",
    scorer: "judge.ts",
    summary: summarize(scored, { pass: 0.7 }),
    scored,
  });
}

interface Played {
  readonly env: "frozen-lake" | "broadband-support";
  readonly run: string;
  readonly name: string;
  readonly rows: readonly Row[];
  readonly agent: Agent;
  readonly repetitions: number;
  readonly tags?: readonly string[];
  readonly pass?: number;
  readonly stopAfter?: number | undefined;
}

async function play(store: SqlStore, { env, rows, stopAfter, ...options }: Played): Promise<void> {
  const stop = new AbortController();
  await using envs = await make(gallery[env](), { rows });
  let ended = 0;
  // One after the other, because the clock is the same for all.
  const rollouts = rollout(envs, { env: {}, store, steps: 40, concurrency: 1, signal: stop.signal, ...options });
  try {
    for await (const _ of rollouts) if (++ended === stopAfter) stop.abort();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

function chanceOf(known: Map<string, Chance>, { index, repetition }: RolloutContext, model: string): Chance {
  const key = `${index}/${repetition}`;
  const found = known.get(key) ?? new Chance(index * 97 + repetition * 13 + model.length * 1009);
  known.set(key, found);
  return found;
}

/** A turn with a call, what it says, and the tokens and the cost that a model would report. */
function turnOf(
  { tool, input }: { readonly tool: string; readonly input: unknown },
  { why, step, model }: { readonly why: string; readonly step: number; readonly model: string },
): Turn {
  const [prompt, completion] = [420 + step * 96, 38 + why.length];
  const [inPrice, outPrice] = prices[model.split("-")[0] ?? ""] ?? [0.1, 0.4];
  return {
    message: {
      role: "assistant",
      content: why === "" ? null : why,
      tool_calls: [
        { id: `call_${step}`, type: "function", function: { name: tool, arguments: JSON.stringify(input) } },
      ],
    },
    finishReason: "tool_calls",
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    cost: (prompt * inPrice + completion * outPrice) / 1e6,
  };
}

/** Dollars for a million tokens, in and out. */
const prices: Readonly<Record<string, readonly [number, number]>> = {
  claude: [3, 15],
  gpt: [0.25, 2],
  qwen3: [0.1, 0.4],
};
