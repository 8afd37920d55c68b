import { readFile } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";
import { readZip } from "./read-zip.ts";

export type LogFields = Readonly<Record<string, unknown>>;

/** A log of Inspect AI. */
export interface InspectLog {
  readonly task: string;
  readonly model: string;
  /** When it began, as ISO 8601. */
  readonly created: string;
  readonly isComplete: boolean;
  readonly epochs: number;
  /** Read one at a time, because they may be large. */
  readonly samples: Iterable<LogFields>;
}

/** Reads a log in either of Inspect AI's formats: `.eval`, a ZIP file, or `.json`. */
export async function readInspectLog(file: string): Promise<InspectLog> {
  const bytes = await readFile(file);
  if (bytes.toString("latin1", 0, 2) !== "PK") {
    const log = parse(bytes, file);
    return logOf(log, Array.isArray(log["samples"]) ? log["samples"].filter(isRecord) : [], file);
  }
  const members = readZip(bytes);
  const header = members.get("header.json");
  if (!header) throw new BiplaneError("INVALID_INPUT", `${file} has no header. Wait until the evaluation has ended.`);
  return logOf(parse(header(), file), samplesIn(members, file), file);
}

function* samplesIn(members: ReadonlyMap<string, () => Buffer>, file: string): Iterable<LogFields> {
  for (const [name, read] of members) if (/^samples\/.*\.json$/.test(name)) yield parse(read(), `${file}, ${name}`);
}

function logOf(log: LogFields, samples: Iterable<LogFields>, file: string): InspectLog {
  const { eval: spec, status } = log;
  if (!isRecord(spec) || typeof spec["task"] !== "string" || typeof spec["model"] !== "string")
    throw new BiplaneError("INVALID_INPUT", `${file} is not a log of Inspect AI: it names no task and model.`);
  const { task, model, created, config } = spec;
  const epochs = isRecord(config) ? Number(config["epochs"]) : 1;
  return {
    task,
    model,
    created: timeOf(created) ?? new Date(0).toISOString(),
    isComplete: status === "success",
    epochs: Number.isInteger(epochs) && epochs > 0 ? epochs : 1,
    samples,
  };
}

/** A text of a log, or an empty one if there is none. Numbers are written as text. */
export function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A time as ISO 8601. Undefined if there is none. */
export function timeOf(value: unknown): string | undefined {
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Python writes NaN and Infinity, which JSON has not. Here they are null: an unscored sample has the score NaN. */
function parse(bytes: Buffer, name: string): LogFields {
  const text = bytes
    .toString("utf8")
    .replaceAll(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token.startsWith('"') ? token : "null"));
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `${name} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new BiplaneError("INVALID_INPUT", `${name} is not a JSON object.`);
}
