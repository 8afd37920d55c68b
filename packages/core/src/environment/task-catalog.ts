import { BiplaneError } from "../errors.ts";
import { showValue } from "../call/rules/show-value.ts";
import type { Environment } from "./environment.ts";
import type { StartOptions } from "./episodes.ts";
import { tasksOf } from "./tasks.ts";
import type { Task } from "./tasks.ts";

/** A task and its place, by which a trainer names it. */
export interface PlacedTask {
  readonly task: Task;
  readonly split: string;
  readonly index: number;
}

/** The names of an environment's splits. One without tasks has seeds as tasks. */
export function splitNames({ rules }: Environment): string[] {
  return Object.keys(rules.options.tasks ?? seedTasks);
}

/** The tasks of a split, in their order. */
export async function placedTasks({ rules }: Environment, split: string): Promise<readonly PlacedTask[]> {
  const tasks = await tasksOf(rules.options.tasks ?? seedTasks, split);
  return tasks.map((task, index) => ({ task, split, index }));
}

/** A task by its place. A negative index counts from the end. */
export async function findTask(environment: Environment, split: string, index: number): Promise<PlacedTask> {
  const tasks = await placedTasks(environment, split);
  const found = Number.isInteger(index) ? tasks.at(index) : undefined;
  if (found) return found;
  const message = `index must be an integer from 0 to ${tasks.length - 1}, not ${showValue(index)}.`;
  throw new BiplaneError("INVALID_INPUT", message);
}

/**
 * What a trainer may keep of a task: its place, its id, and the fields that the environment calls public. Config and
 * other fields may hold the answer.
 */
export function publicTask({ rules }: Environment, { task, split, index }: PlacedTask): Record<string, unknown> {
  const columns = (rules.options.publicTaskFields ?? []).flatMap((key) =>
    Object.hasOwn(task, key) ? [[key, task[key]] as const] : [],
  );
  return { ...Object.fromEntries(columns), id: task.id ?? `task_${index}`, split, index };
}

/** How the episode of a task starts. Without a seed, every episode of the task has its index as seed. */
export function startOfTask({ task, index }: PlacedTask): StartOptions {
  return { seed: task.seed ?? index, config: task.config };
}

/** Tasks of an environment that defines none. */
const seedTasks: Readonly<Record<string, readonly Task[]>> = {
  train: Array.from({ length: 1000 }, (_, seed) => ({ id: `seed_${seed}`, seed })),
  test: Array.from({ length: 100 }, (_, at) => ({ id: `seed_${1000 + at}`, seed: 1000 + at })),
};
