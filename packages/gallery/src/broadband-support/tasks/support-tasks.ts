import type { SupportTask, TaskTable } from "../support-task.ts";
import { accountTasks } from "./account-tasks.ts";
import { creditTasks } from "./credit-tasks.ts";
import { endingTasks } from "./ending-tasks.ts";
import { homeFaultTasks } from "./home-fault-tasks.ts";
import { invoiceTasks } from "./invoice-tasks.ts";
import { lineFaultTasks } from "./line-fault-tasks.ts";
import { orderTasks } from "./order-tasks.ts";
import { planTasks } from "./plan-tasks.ts";

const tasks: TaskTable = {
  ...accountTasks,
  ...invoiceTasks,
  ...creditTasks,
  ...lineFaultTasks,
  ...homeFaultTasks,
  ...orderTasks,
  ...planTasks,
  ...endingTasks,
};

/** Every task, easy ones first. */
export const supportTasks: readonly SupportTask[] = Object.entries(tasks)
  .map(([id, task]) => ({ id, split: "train" as const, ...task }))
  .toSorted((one, other) => one.level - other.level);
