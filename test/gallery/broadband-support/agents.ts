import { createRandom } from "../../../packages/core/src/environment/random/random.ts";
import { supportTasks } from "../../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";
import type { SupportGrade } from "../../../packages/gallery/src/broadband-support/support-state.ts";
import type { PlanStep, SupportTask } from "../../../packages/gallery/src/broadband-support/support-task.ts";
import type { Environment, Episode } from "biplane";

export interface SupportInfo {
  readonly task_id: string;
  readonly end: { readonly reason: string; readonly detail?: string } | null;
  readonly grade: SupportGrade | null;
  readonly violations: readonly { readonly rule: string; readonly detail: string }[];
}

export function infoOf(environment: Environment, { state, context }: Episode): SupportInfo {
  return environment.rules.options.info?.(state, context) as SupportInfo;
}

/** Plays steps until the episode ends or they do. */
export async function play(environment: Environment, task: SupportTask, steps: Iterable<PlanStep>): Promise<Episode> {
  const episode = await environment.start({ config: { task_id: task.id } });
  for (const step of steps) {
    if (episode.isOver) break;
    const [name, input] = typeof step === "string" ? (["message_customer", { message: step }] as const) : step;
    await environment.call(episode, name, input).catch(() => undefined);
  }
  await environment.episodes.end(episode);
  return episode;
}

/** Steps of all plans in a random order: every call is one that is right somewhere. */
export function* randomSteps(seed: number, count: number): Generator<PlanStep> {
  const random = createRandom(seed);
  const all = supportTasks.flatMap(({ plan }) => plan);
  for (let step = 0; step < count; step++) yield random.choice(all);
}
