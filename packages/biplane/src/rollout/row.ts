import { readFile } from "node:fs/promises";
import { connectEnvironment } from "@biplane/core/client";
import type { ConnectEnvironmentOptions, EnvironmentTarget } from "@biplane/core/client";
import { isRecord, messageOf } from "@biplane/core/internal";
import type { Task } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ChatMessage } from "./message.ts";
import { readPythonJson } from "./python/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A dataset row in Eval Protocol's format. Unknown fields are kept. */
export interface Row {
  readonly messages: readonly ChatMessage[];
  readonly input_metadata?: {
    readonly row_id?: string | null;
    readonly dataset_info?: Fields | null;
    readonly completion_params?: Fields | null;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** The settings of a row. */
export interface RowSetup {
  readonly id: string;
  readonly seed: number | bigint | null;
  readonly context: Fields;
  /** The context with Python's number types, which the session id depends on. */
  readonly exactContext: unknown;
  readonly template: string;
  readonly simulation: Fields | undefined;
}

/** Reads rows from a JSONL file. Skips blank lines; an invalid line throws with its number. */
export async function readRows(file: string): Promise<Row[]> {
  return parseRows(await readFile(file, "utf8"), file);
}

/** Parses the content of a JSONL file. */
export function parseRows(text: string, name = "The rows"): Row[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      const row = readRow(JSON.parse(line) as unknown);
      if (/\d\.0|\d[eE]|\d{16}/.test(line)) exactRows.set(row, { line, value: readPythonJson(line) });
      return [row];
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `${name}, line ${at + 1}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** A row as a line of JSONL, with its numbers as they were written. */
export function rowLine(row: Row): string {
  return exactRows.get(row)?.line ?? JSON.stringify(row);
}

/** Validates a row. Also accepts older dataset entries (`id`, `system_prompt`, `user_prompt_template`). */
export function readRow(value: unknown): Row {
  if (!isRecord(value)) throw new BiplaneError("INVALID_INPUT", "A row must be an object.");
  const row = "messages" in value ? value : fromDatasetEntry(value);
  const { messages } = row;
  if (!Array.isArray(messages) || !messages.every((each) => isRecord(each) && typeof each["role"] === "string"))
    throw new BiplaneError("INVALID_INPUT", "A row needs messages, a list of objects with a role.");
  return row as unknown as Row;
}

/** Makes rows from the tasks of an environment, in this process or at a URL. */
export async function taskRows(
  target: EnvironmentTarget,
  split: string,
  options: ConnectEnvironmentOptions = {},
): Promise<Row[]> {
  const client = await connectEnvironment(target, options);
  try {
    return (await client.tasks(split)).map(taskRow);
  } finally {
    await client.close();
  }
}

/** Makes one row per seed. */
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

/** Reads the settings of a row. A row without an id gets one from `index`. */
export function setupOf(row: Row, index: number): RowSetup {
  const info = row.input_metadata?.dataset_info ?? {};
  const context = objectIn(info, "environment_context") ?? {};
  const exactContext = exactContextOf(row) ?? context;
  const exactSeed = isRecord(exactContext) ? exactContext["seed"] : undefined;
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

/** Rows with numbers that lose information in JavaScript, parsed with Python's number types. */
const exactRows = new WeakMap<Row, { readonly line: string; readonly value: unknown }>();

function exactContextOf(row: Row): unknown {
  return ["input_metadata", "dataset_info", "environment_context"].reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : undefined),
    exactRows.get(row)?.value,
  );
}

function fromDatasetEntry(entry: Fields): Row {
  const { id, system_prompt: system, user_prompt_template: template, ...info } = entry;
  if (typeof id !== "string" || typeof system !== "string" || typeof template !== "string")
    throw new BiplaneError("INVALID_INPUT", "A row needs messages, or id, system_prompt and user_prompt_template.");
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
  throw new BiplaneError("INVALID_INPUT", `environment_context.seed must be an integer, not ${JSON.stringify(seed)}.`);
}

function objectIn(fields: Fields, key: string): Fields | undefined {
  const value = fields[key];
  return isRecord(value) && Object.keys(value).length > 0 ? value : undefined;
}
