import { isRecord } from "../../../../is-record.ts";

/** A normalized table. */
export interface Table {
  readonly columns: readonly Column[];
  /** One cell per column. */
  readonly rows: readonly (readonly Cell[])[];
  /** Number of rows beyond the limit. */
  readonly omitted: number;
}

export interface Column {
  readonly title: string;
  readonly type: "number" | "date" | "boolean" | "text";
}

export type Cell = string | number | boolean | null;

/**
 * Reads the rows of a result: `{ columns, rows }`, with rows as lists or objects; `{ rows }`; a list of objects; or any
 * of these under `result`, as in older protocol versions.
 */
export function readTable(value: unknown): Table | undefined {
  const given = isRecord(value) && !("rows" in value) && "result" in value ? value["result"] : value;
  const { rows, columns } = Array.isArray(given)
    ? { rows: given as unknown[], columns: undefined }
    : isRecord(given)
      ? given
      : {};
  if (!Array.isArray(rows)) return undefined;
  const used = rows.slice(0, maxRows);
  const heads = (Array.isArray(columns) ? columns.map(headOf) : namesIn(used)).slice(0, maxColumns);
  if (heads.length === 0) return undefined;
  const cells = used.map((row) => heads.map(({ key }, at) => cellOf(valueAt(row, key, at))));
  return {
    columns: heads.map(({ title, type }, at) => ({ title, type: type ?? typeIn(cells, at) })),
    rows: cells,
    omitted: rows.length - used.length,
  };
}

const maxRows = 100_000;
const maxColumns = 100;

interface Head {
  readonly key: string;
  readonly title: string;
  readonly type?: Column["type"];
}

function headOf(column: unknown, at: number): Head {
  if (!isRecord(column)) return { key: nameOf(column), title: nameOf(column).slice(0, 200) };
  const key = nameOf(column["key"] ?? column["name"] ?? at);
  const type = types.find((each) => each === column["type"]);
  const title = nameOf(column["title"] ?? column["label"] ?? key).slice(0, 200);
  return { key, title, ...(type && { type }) };
}

/** `String(value)` could throw for an object with its own `toString`. */
function nameOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const types = ["number", "date", "boolean", "text"] as const;

/** Column names in order of appearance. Rows that are lists get numbers. */
function namesIn(rows: readonly unknown[]): Head[] {
  const names = new Set<string>();
  for (const row of rows.slice(0, 1000)) {
    if (isRecord(row)) for (const name of Object.keys(row)) names.add(name);
    else if (Array.isArray(row)) for (const at of row.keys()) names.add(String(at + 1));
    else names.add("value");
  }
  return Array.from(names, (key) => ({ key, title: key.slice(0, 200) }));
}

function valueAt(row: unknown, key: string, at: number): unknown {
  if (Array.isArray(row)) return row[at] as unknown;
  if (isRecord(row)) return Object.hasOwn(row, key) ? row[key] : null;
  return at === 0 ? row : null;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "number") return value;
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, maxCellLength);
}

const maxCellLength = 5000;

/** The common type of all non-empty cells of a column. */
function typeIn(rows: readonly (readonly Cell[])[], at: number): Column["type"] {
  const given = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null && cell !== "");
  if (given.length === 0) return "text";
  if (given.every((cell) => typeof cell === "number")) return "number";
  if (given.every((cell) => typeof cell === "boolean")) return "boolean";
  if (given.every((cell) => typeof cell === "string" && isoDate.test(cell))) return "date";
  return given.every((cell) => typeof cell !== "boolean" && numeric.test(String(cell))) ? "number" : "text";
}

const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
// Databases write exact numbers as text. A leading zero means an identifier, such as a postal code.
const numeric = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;
