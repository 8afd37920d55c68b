import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";

/** A list of equally long rows of scalars: a board or a matrix. */
export function boardIn(list: readonly unknown[]): readonly (readonly unknown[])[] | undefined {
  const [first] = list;
  if (!Array.isArray(first) || first.length < 2 || first.length > 40 || list.length < 2 || list.length > 40)
    return undefined;
  const isBoard = list.every(
    (row) => Array.isArray(row) && row.length === first.length && row.every((cell) => isScalar(cell)),
  );
  return isBoard ? (list as readonly (readonly unknown[])[]) : undefined;
}

/** A grid of values, with zero and empty cells dimmed. */
export function Board(props: { readonly board: readonly (readonly unknown[])[]; readonly label: string }): JSX.Element {
  const { board, label } = props;
  return (
    <div class="value-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="value-board" aria-label={label}>
        <tbody>
          {board.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={toneOf(cell)}>
                  <Text value={String(cell)} maxLength={12} isFixed />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The list, if all items are objects. */
export function objectsIn(list: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] | undefined {
  return list.length > 0 && list.every(isRecord) ? list : undefined;
}

/** Objects as rows, their keys as columns. */
export function ObjectTable(props: {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly label: string;
}): JSX.Element {
  const { objects, label } = props;
  const [maxShown, setMaxShown] = useState(50);
  const keys = [...new Set(objects.slice(0, 200).flatMap((object) => Object.keys(object)))];
  const columns = keys.slice(0, maxColumns);
  return (
    <div class="value-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="value-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((key) => (
              <th key={key} scope="col">
                <Text value={key === "" ? "(unnamed)" : key} maxLength={60} isFixed />
              </th>
            ))}
            {keys.length > columns.length && <th scope="col">{plural(keys.length - columns.length, "more key")}</th>}
          </tr>
        </thead>
        <tbody>
          {objects.slice(0, maxShown).map((object, at) => (
            <tr key={at}>
              {columns.map((key) => (
                <td key={key}>
                  <Cell value={object[key]} />
                </td>
              ))}
              {keys.length > columns.length && <td class="muted">…</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {objects.length > maxShown && (
        <button type="button" class="more" onClick={() => setMaxShown(maxShown * 8)}>
          {plural(objects.length - maxShown, "more row")}
        </button>
      )}
    </div>
  );
}

const maxColumns = 12;

function Cell({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined || value === null) return <span class="muted">–</span>;
  if (typeof value === "string") return <Text value={value} maxLength={160} />;
  if (typeof value === "object") return <Text value={JSON.stringify(value)} maxLength={160} isMono />;
  return <span class="num">{JSON.stringify(value)}</span>;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" ? value.length <= 12 : typeof value !== "object" || value === null;
}

function toneOf(cell: unknown): string {
  if (cell === 0 || cell === null || cell === "" || cell === "." || cell === " " || cell === false) return "tone-plain";
  return typeof cell === "number" && cell < 0 ? "tone-warn" : "tone-accent";
}
