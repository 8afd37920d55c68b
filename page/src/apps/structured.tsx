import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Json } from "../components/json.tsx";
import { Text } from "../components/text.tsx";
import { plural } from "../format.ts";

/** Rows with the same few keys, where a value is that: a list of objects, `{ columns, rows }`, or an object that holds one. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export function rowsIn(value: unknown): Rows | undefined {
  const list = listIn(value);
  if (!list || list.length === 0 || !list.every(isObject)) return undefined;
  const columns = [...new Set(list.slice(0, 200).flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > mostColumns ? undefined : { columns, rows: list };
}

/** The rows as a table. What is no single value is shown as a tree in its cell. */
export function RowsTable({ rows: { columns, rows } }: { readonly rows: Rows }): JSX.Element {
  const [most, setMost] = useState(50);
  return (
    <div class="rows" role="region" aria-label="The result as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Text value={column} most={60} isFixed />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, at) => (
            <tr key={at}>
              {columns.map((column) => (
                <Cell key={column} value={row[column]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" class="more" onClick={() => setMost(most * 8)}>
          {plural(rows.length - most, "more row")}
        </button>
      )}
    </div>
  );
}

function Cell({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined || value === null) return <td class="muted">–</td>;
  if (typeof value === "number") return <td class="num end">{String(value)}</td>;
  if (typeof value === "object")
    return (
      <td>
        <Json value={value} depth={0} />
      </td>
    );
  return (
    <td>
      <Text value={typeof value === "string" ? value : JSON.stringify(value)} most={200} />
    </td>
  );
}

const mostColumns = 24;

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  if (Array.isArray(value["columns"]) && Array.isArray(value["rows"])) return value["rows"];
  const [only, ...others] = Object.values(value);
  return others.length === 0 && Array.isArray(only) ? only : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
