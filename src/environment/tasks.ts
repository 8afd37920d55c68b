import { BiplaneError } from "../errors.ts";
import type { JsonObject } from "../tool/schema.ts";

/** A row to play. What else it holds is for whoever plays it. */
export interface Task extends JsonObject {
  readonly id?: string;
  readonly seed?: number;
  readonly config?: JsonObject;
}

/** Rows by the name of their split, as a list or a function that makes it. */
export type TaskSplits = Readonly<Record<string, readonly Task[] | (() => readonly Task[] | Promise<readonly Task[]>)>>;

/** The rows of a split. */
export async function tasksOf(splits: TaskSplits | undefined, split: string): Promise<readonly Task[]> {
  if (!splits) throw new BiplaneError("NOT_SUPPORTED", "This environment has no tasks");
  const rows = Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (!rows) {
    const known = Object.keys(splits).join(", ");
    throw new BiplaneError("INVALID_INPUT", `There is no split ${JSON.stringify(split)}; there are ${known}`);
  }
  return typeof rows === "function" ? rows() : rows;
}
