import { readFile } from "node:fs/promises";
import type { Environment } from "../environment/environment.ts";
import { tasksOf } from "../environment/tasks.ts";
import type { Task } from "../environment/tasks.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Message } from "./message.ts";
import { readPythonJson } from "./python/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A row to play, as Eval Protocol writes it. Fields that are not known here are kept as they are. */
export interface Row {
  readonly messages: readonly Message[];
  readonly input_metadata?: {
    readonly row_id?: string | null;
    readonly dataset_info?: Fields | null;
    readonly completion_params?: Fields | null;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** What a row asks for, found in its fields. */
export interface RowSetup {
  readonly id: string;
  readonly seed: number | bigint | null;
  readonly context: Fields;
  /** The same with Python's numbers, of which the session's id is made. */
  readonly exactContext: unknown;
  readonly template: string;
  readonly simulation: Fields | undefined;
}

/** Reads rows from a JSONL file. Blank lines are passed over; a bad one is named with its number. */
export async function readRows(file: string): Promise<Row[]> {
  return parseRows(await readFile(file, "utf8"), file);
}

/** Rows from the text of a JSONL file. */
export function parseRows(text: string, name = "the rows"): Row[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      const row = readRow(JSON.parse(line) as unknown);
      if (/\d\.0|\d[eE]|\d{16}/.test(line)) exactRows.set(row, readPythonJson(line));
      return [row];
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `${name}, line ${at + 1}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** A row of Eval Protocol, or one of its older dataset entries (`id`, `system_prompt`, `user_prompt_template`). */
export function readRow(value: unknown): Row {
  if (!isObject(value)) throw new BiplaneError("INVALID_INPUT", "a row must be an object");
  const row = "messages" in value ? value : fromDatasetEntry(value);
  const { messages } = row;
  if (!Array.isArray(messages) || !messages.every((each) => isObject(each) && typeof each["role"] === "string"))
    throw new BiplaneError("INVALID_INPUT", "a row needs messages, a list of objects with a role");
  return row as unknown as Row;
}

/** Rows of an environment's own tasks. */
export async function taskRows(environment: Environment, split: string): Promise<Row[]> {
  const tasks = await tasksOf(environment.rules.options.tasks, split);
  return tasks.map(taskRow);
}

/** A row for each seed, where nothing else differs. */
export function seedRows(
  seeds: Iterable<number>,
  options: { config?: Fields; prompt?: string; system?: string } = {},
): Row[] {
  const { config = {}, prompt = "", system = "" } = options;
  return Array.from(seeds, (seed) => {
    const id = `seed_${seed}`;
    return fromDatasetEntry({
      id,
      system_prompt: system,
      user_prompt_template: prompt,
      environment_context: { ...config, seed },
    });
  });
}

/** What a row asks for. `index` names it where it has no name of its own. */
export function setupOf(row: Row, index: number): RowSetup {
  const info = row.input_metadata?.dataset_info ?? {};
  const context = objectIn(info, "environment_context") ?? {};
  const exactContext = exactContextOf(row) ?? context;
  const exactSeed = isObject(exactContext) ? exactContext["seed"] : undefined;
  const simulation = objectIn(info, "user_simulation");
  return {
    id: row.input_metadata?.row_id ?? `task_${index}`,
    seed: readSeed(exactSeed ?? context["seed"]),
    context,
    exactContext,
    template: typeof info["user_prompt_template"] === "string" ? info["user_prompt_template"] : "",
    simulation: simulation?.["enabled"] === false ? undefined : simulation,
  };
}

/** Rows whose numbers JavaScript does not keep as Python would. */
const exactRows = new WeakMap<Row, unknown>();

function exactContextOf(row: Row): unknown {
  return ["input_metadata", "dataset_info", "environment_context"].reduce<unknown>(
    (at, key) => (isObject(at) ? at[key] : undefined),
    exactRows.get(row),
  );
}

function fromDatasetEntry(entry: Fields): Row {
  const { id, system_prompt: system, user_prompt_template: template, ...info } = entry;
  if (typeof id !== "string" || typeof system !== "string" || typeof template !== "string")
    throw new BiplaneError("INVALID_INPUT", "a row needs messages, or id, system_prompt and user_prompt_template");
  return {
    messages: system === "" ? [] : [{ role: "system", content: system }],
    input_metadata: { row_id: id, dataset_info: { user_prompt_template: template, ...info } },
  };
}

function taskRow(task: Task, at: number): Row {
  const { id = `task_${at}`, seed, config = {}, ...rest } = task;
  const context = { ...config, ...(seed !== undefined && { seed }) };
  const { system_prompt: system = "", user_prompt_template: template = "", ...info } = rest;
  const entry = { ...info, system_prompt: system, user_prompt_template: template, environment_context: context };
  return fromDatasetEntry({ id, ...entry });
}

function readSeed(seed: unknown): number | bigint | null {
  if (seed === undefined || seed === null) return null;
  if (typeof seed === "bigint" || Number.isSafeInteger(seed)) return seed as number | bigint;
  throw new BiplaneError(
    "INVALID_INPUT",
    `environment_context.seed must be a whole number, not ${JSON.stringify(seed)}`,
  );
}

function objectIn(fields: Fields, key: string): Fields | undefined {
  const value = fields[key];
  return isObject(value) && Object.keys(value).length > 0 ? value : undefined;
}
