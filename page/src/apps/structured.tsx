import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isRecord } from "../../../packages/core/src/is-record.ts";
import { Json } from "../components/json.tsx";
import { Text } from "../components/text.tsx";
import { plural } from "../format.ts";

/** Tabular data: a list of objects, `{ columns, rows }`, or an object with one such list. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export function rowsIn(value: unknown): Rows | undefined {
  const list = listIn(value);
  if (!list || list.length === 0 || !list.every(isRecord)) return undefined;
  const columns = [...new Set(list.slice(0, 200).flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > maxColumns ? undefined : { columns, rows: list };
}

/** Renders the rows as a table. Nested values become JSON trees. */
export function RowsTable({ rows: { columns, rows } }: { readonly rows: Rows }): JSX.Element {
  const [maxShown, setMaxShown] = useState(50);
  return (
    <div class="rows" role="region" aria-label="Result as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Text value={column} maxLength={60} isFixed />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxShown).map((row, at) => (
            <tr key={at}>
              {columns.map((column) => (
                <Cell key={column} value={row[column]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxShown && (
        <button type="button" class="more" onClick={() => setMaxShown(maxShown * 8)}>
          {plural(rows.length - maxShown, "more row")}
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
      <Text value={typeof value === "string" ? value : JSON.stringify(value)} maxLength={200} />
    </td>
  );
}

const maxColumns = 24;

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  if (Array.isArray(value["columns"]) && Array.isArray(value["rows"])) return value["rows"];
  const [only, ...others] = Object.values(value);
  return others.length === 0 && Array.isArray(only) ? only : undefined;
}
