import { BiplaneError } from "../errors.ts";
import { showValue } from "../call/rules/show-value.ts";
import type { JsonObject } from "../tool/schema.ts";

/** A dataset row. Further fields are for the agent or scorer. */
export interface Task extends JsonObject {
  readonly id?: string;
  readonly seed?: number;
  readonly config?: JsonObject;
}

/** Rows by split, as a list or a function that returns one. */
export type TaskSplits = Readonly<Record<string, readonly Task[] | (() => readonly Task[] | Promise<readonly Task[]>)>>;

export async function tasksOf(splits: TaskSplits | undefined, split: string): Promise<readonly Task[]> {
  if (!splits) throw new BiplaneError("NOT_SUPPORTED", "This environment has no tasks.");
  const rows = Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (!rows) {
    const known = Object.keys(splits).join(", ");
    throw new BiplaneError("INVALID_INPUT", `Unknown split ${showValue(split)}. Known splits: ${known}.`);
  }
  return typeof rows === "function" ? rows() : rows;
}
