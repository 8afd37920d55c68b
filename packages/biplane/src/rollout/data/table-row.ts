import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";
import { readExactRow, withoutNulls } from "../row.ts";
import type { Row } from "../row.ts";
import { smallestNumber } from "./plain-value.ts";
import { rowError } from "./row-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes a row from a record of a table. Some columns hold JSON if they hold text, because a cell of a CSV file cannot
 * hold a list.
 */
export function tableRow(record: Fields): Row {
  const exact: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(record)) {
    try {
      exact[column] = readCell(column, value);
    } catch (error) {
      throw rowError(messageOf(error), { column }, error);
    }
  }
  const whole = withoutNulls(exact);
  return readExactRow(inJson(whole), whole);
}

/** Columns that hold JSON if they hold text. */
const jsonColumns = new Set([
  "messages",
  "config",
  "environment_context",
  "input_metadata",
  "dataset_info",
  "completion_params",
  "user_simulation",
  "tools",
]);

function readCell(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (jsonColumns.has(column)) return JSON.parse(value);
  return column === "seed" ? readInteger(value) : value;
}

function readInteger(text: string): number | bigint {
  if (!/^\s*-?\d{1,4000}\s*$/.test(text))
    throw new BiplaneError("INVALID_INPUT", `A seed must be an integer, not ${JSON.stringify(text.slice(0, 100))}.`);
  return smallestNumber(BigInt(text.trim()));
}

/** The same value with numbers in place of bigints. */
function inJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(inJson);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inJson(inner)]));
}
