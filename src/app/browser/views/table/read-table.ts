/** A table, whatever shape a tool gave it. */
export interface Table {
  readonly columns: readonly Column[];
  /** A cell for each column. */
  readonly rows: readonly (readonly Cell[])[];
  /** How many rows were left out here, because there were too many. */
  readonly leftOut: number;
}

export interface Column {
  readonly title: string;
  readonly type: "number" | "date" | "boolean" | "text";
}

export type Cell = string | number | boolean | null;

/**
 * Finds the rows in what a tool answered: `{ columns, rows }`, with rows as lists or as objects; `{ rows }`; a list of
 * objects; or either of them under `result`, where older clients have it.
 */
export function readTable(value: unknown): Table | undefined {
  const given = isRecord(value) && !("rows" in value) && "result" in value ? value["result"] : value;
  const { rows, columns } = Array.isArray(given)
    ? { rows: given as unknown[], columns: undefined }
    : isRecord(given)
      ? given
      : {};
  if (!Array.isArray(rows)) return undefined;
  const used = rows.slice(0, mostRows);
  const heads = (Array.isArray(columns) ? columns.map(headOf) : namesIn(used)).slice(0, mostColumns);
  if (heads.length === 0) return undefined;
  const cells = used.map((row) => heads.map(({ key }, at) => cellOf(valueAt(row, key, at))));
  return {
    columns: heads.map(({ title, type }, at) => ({ title, type: type ?? typeIn(cells, at) })),
    rows: cells,
    leftOut: rows.length - used.length,
  };
}

const mostRows = 100_000;
const mostColumns = 100;

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

/** An object may say of itself that it cannot be a text. */
function nameOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const types = ["number", "date", "boolean", "text"] as const;

/** In the order in which they come up. Rows that are lists have numbers for names. */
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
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, longestCell);
}

const longestCell = 5000;

/** What all cells of a column are that are not empty. */
function typeIn(rows: readonly (readonly Cell[])[], at: number): Column["type"] {
  const given = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null && cell !== "");
  if (given.length === 0) return "text";
  if (given.every((cell) => typeof cell === "number")) return "number";
  if (given.every((cell) => typeof cell === "boolean")) return "boolean";
  if (given.every((cell) => typeof cell === "string" && isoDate.test(cell))) return "date";
  return given.every((cell) => typeof cell !== "boolean" && numeric.test(String(cell))) ? "number" : "text";
}

const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
// Databases write exact numbers as text. A leading zero is a name, such as that of a town.
const numeric = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
