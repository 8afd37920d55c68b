import { connectEnvironment } from "@biplane/core/client";
import type { ConnectEnvironmentOptions, EnvironmentTarget } from "@biplane/core/client";
import { isRecord, messageOf } from "@biplane/core/internal";
import type { Task } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ChatMessage } from "./message.ts";
import { PythonFloat, readPythonJson, writePythonJson } from "./python/json.ts";

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

/** Parses the content of a JSONL file. Skips blank lines; an invalid line throws with its number. */
export function parseRows(text: string, name = "The rows"): Row[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      return [parseRow(line)];
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `${name}, line ${at + 1}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** A row as a line of JSONL, with its numbers as they were written. */
export function rowLine(row: Row): string {
  const exact = exactRows.get(row);
  return exact ? writePythonJson(exact) : JSON.stringify(row);
}

/** Parses a line of a JSONL file. */
export function parseRow(line: string): Row {
  const value: unknown = JSON.parse(line);
  return /\d\.0|\d[eE]|\d{16}/.test(line) ? readExactRow(value, readPythonJson(line)) : readRow(value);
}

/** Validates a row whose numbers lose information in JavaScript. `exact` is the same value without that loss. */
export function readExactRow(value: unknown, exact: unknown): Row {
  const row = readRow(value);
  exactRows.set(row, readRow(exact));
  return row;
}

/**
 * Validates a row. Also accepts older dataset entries (`id`, `system_prompt`, `user_prompt_template`), and records with
 * a `prompt` (text or messages), a `seed` or a `config`, as datasets for other trainers have them.
 */
export function readRow(value: unknown): Row {
  if (!isRecord(value)) throw new BiplaneError("INVALID_INPUT", "A row must be an object.");
  const row = isEvalProtocolRow(value) ? value : fromRecord(value);
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
const exactRows = new WeakMap<Row, Row>();

function exactContextOf(row: Row): unknown {
  return ["input_metadata", "dataset_info", "environment_context"].reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : undefined),
    exactRows.get(row),
  );
}

function fromDatasetEntry(entry: Fields): Row {
  const { id, system_prompt: system, user_prompt_template: template, ...info } = entry;
  if (typeof id !== "string" || typeof system !== "string" || typeof template !== "string")
    throw new BiplaneError(
      "INVALID_INPUT",
      "A row needs messages, or id, system_prompt and user_prompt_template, or a prompt, a seed or a config.",
    );
  return {
    messages: system === "" ? [] : [{ role: "system", content: system }],
    input_metadata: { row_id: id, dataset_info: { user_prompt_template: template, ...info } },
  };
}

function isEvalProtocolRow(value: Fields): boolean {
  return "input_metadata" in value || ("messages" in value && !("seed" in value) && !("config" in value));
}

/**
 * The value without fields that are null: in a table, all records have the same fields. Only the content of a message is
 * null on purpose, if the message just makes calls.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value) || value instanceof PythonFloat) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => inner !== undefined && (inner !== null || (key === "content" && "role" in value)),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}

/** Fields that are not ours, such as an answer, are kept in `dataset_info`, where scorers find them. */
function fromRecord(record: Fields): Row {
  if (!["prompt", "seed", "config"].some((key) => key in record)) return fromDatasetEntry(record);
  const present = withoutNulls(record) as Fields;
  const { id, row_id: rowId = id, prompt, messages = prompt, seed, config = {}, ...rest } = present;
  if (!isRecord(config)) throw new BiplaneError("INVALID_INPUT", "A row's config must be an object.");
  const { system_prompt: system = "", user_prompt_template: template = "", ...info } = rest;
  const context = { ...objectIn(info, "environment_context"), ...config, ...(seed !== undefined && { seed }) };
  const asked = typeof messages === "string" ? [{ role: "user", content: messages }] : (messages ?? []);
  const isTold = system !== "" && Array.isArray(asked);
  return {
    messages: (isTold ? [{ role: "system", content: system }, ...(asked as ChatMessage[])] : asked) as ChatMessage[],
    input_metadata: {
      ...((typeof rowId === "string" || typeof rowId === "number") && { row_id: String(rowId) }),
      dataset_info: { user_prompt_template: template, ...info, environment_context: context },
    },
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
