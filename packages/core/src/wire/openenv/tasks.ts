import type { Environment } from "../../environment/environment.ts";
import { showValue } from "../../call/rules/show-value.ts";
import { tasksOf } from "../../environment/tasks.ts";
import type { Task } from "../../environment/tasks.ts";
import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";

/** The task routes, after the environment's name. */
export const taskRoutes = ["tasks", "num_tasks", "task", "task_range"] as const;
export type TaskRoute = (typeof taskRoutes)[number];

/** `GET /{env}/splits` */
export function splitsOf({ rules }: Environment): object {
  if (!rules.options.tasks) throw new BiplaneError("NOT_SUPPORTED", "This environment has no tasks.");
  return Object.keys(rules.options.tasks).map((name) => ({ name, type: splitTypeOf(name) }));
}

/** The type of a split, as trainers know it. A split of any other name is for validation. */
export function splitTypeOf(name: string): string {
  return splitTypes.has(name) ? name : "validation";
}

const splitTypes = new Set(["train", "validation", "test"]);

/** `POST /{env}/tasks`, `num_tasks`, `task`, `task_range` */
export async function answerTasks(environment: Environment, route: TaskRoute, body: unknown): Promise<object> {
  const { split, index, start, stop } = isRecord(body) ? body : {};
  const tasks = await tasksOf(environment.rules.options.tasks, String(split));
  switch (route) {
    case "tasks":
      return { tasks, env_name: environment.name };
    case "num_tasks":
      return { num_tasks: tasks.length };
    case "task":
      return { task: at(tasks, index) };
    case "task_range":
      return { tasks: tasks.slice(bound(start, 0), bound(stop, tasks.length)) };
  }
}

function at(tasks: readonly Task[], index: unknown): Task {
  const task = typeof index === "number" ? tasks[index] : undefined;
  if (task) return task;
  throw new BiplaneError(
    "INVALID_INPUT",
    `index must be an integer from 0 to ${tasks.length - 1}, not ${showValue(index)}.`,
  );
}

function bound(value: unknown, fallback: number): number {
  return Number.isInteger(value) ? Number(value) : fallback;
}
