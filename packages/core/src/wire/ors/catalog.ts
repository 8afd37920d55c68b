import type { Environment } from "../../environment/environment.ts";
import { findTask, placedTasks, publicTask, splitNames } from "../../environment/task-catalog.ts";
import type { PlacedTask } from "../../environment/task-catalog.ts";
import { BiplaneError } from "../../errors.ts";
import { isForModel } from "../../tool/app.ts";
import { DetailError, refuseOtherFields } from "../detail-error.ts";
import { splitTypeOf } from "../openenv/tasks.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `GET /{env}/splits` */
export function orsSplits(environment: Environment): object {
  return splitNames(environment).map((name) => ({ name, type: splitTypeOf(name) }));
}

/** `POST /{env}/num_tasks` */
export async function orsTaskCount(environment: Environment, fields: Fields): Promise<object> {
  refuseOtherFields(fields, ["split"]);
  return { num_tasks: (await readSplit(environment, fields)).length };
}

/** `POST /{env}/tasks` */
export async function orsTasks(environment: Environment, fields: Fields): Promise<object> {
  refuseOtherFields(fields, ["split"]);
  return listed(environment, await readSplit(environment, fields));
}

/** `POST /{env}/task_range`: a slice as in Python. */
export async function orsTaskRange(environment: Environment, fields: Fields): Promise<object> {
  refuseOtherFields(fields, ["split", "start", "stop"]);
  const tasks = await readSplit(environment, fields);
  return listed(environment, tasks.slice(bound(fields["start"]), bound(fields["stop"])));
}

/** `POST /{env}/task` */
export async function orsTask(environment: Environment, fields: Fields): Promise<object> {
  refuseOtherFields(fields, ["split", "index"]);
  const task = publicTask(environment, await taskAt(environment, fields));
  return { task, env_name: environment.name.toLowerCase() };
}

/** The task that `split` and `index` name, in a request or in a task that was given out. */
export async function taskAt(environment: Environment, { split, index }: Fields): Promise<PlacedTask> {
  checkSplit(environment, split);
  try {
    return await findTask(environment, String(split), index as number);
  } catch (error) {
    throw error instanceof BiplaneError && error.code === "INVALID_INPUT"
      ? new DetailError(400, "Invalid index")
      : error;
  }
}

/** `GET /{env}/tools` and `task_tools` */
export function orsTools({ server }: Environment): object {
  const tools = Array.from(server.tools)
    .filter(isForModel)
    .map(({ name, description, input }) => ({ name, description: description ?? "", input_schema: input.json }));
  return { tools, terminal_tool: null, supports_score_group: false, message_block_types: ["text", "image"] };
}

async function readSplit(environment: Environment, { split }: Fields): Promise<readonly PlacedTask[]> {
  checkSplit(environment, split);
  return placedTasks(environment, String(split));
}

function checkSplit(environment: Environment, split: unknown): void {
  if (typeof split !== "string" || !splitNames(environment).includes(split))
    throw new DetailError(400, "Invalid split");
}

function listed(environment: Environment, tasks: readonly PlacedTask[]): object {
  return { tasks: tasks.map((task) => publicTask(environment, task)), env_name: environment.name.toLowerCase() };
}

function bound(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value)) return value as number;
  throw new DetailError(400, "Invalid index");
}
