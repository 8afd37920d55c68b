import type { Cell, Column, Table } from "./read-table.ts";

export interface Arrangement {
  readonly filter: string;
  readonly sort: { readonly column: number; readonly down: boolean } | undefined;
}

/** The indexes of the visible rows, in order. A row must contain every word of the filter. */
export function arrange({ columns, rows }: Table, { filter, sort }: Arrangement): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown: number[] = [];
  for (const [at, row] of rows.entries()) {
    const text = words.length > 0 ? row.join("\u0000").toLowerCase() : "";
    if (words.every((word) => text.includes(word))) shown.push(at);
  }
  if (!sort) return shown;
  const compare = comparer(columns[sort.column]?.type ?? "text");
  const sign = sort.down ? -1 : 1;
  return shown.sort((a, b) => {
    const [one, other] = [rows[a]?.[sort.column] ?? null, rows[b]?.[sort.column] ?? null];
    // Empty cells come last in both directions.
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  });
}

function comparer(type: Column["type"]): (a: NonNullable<Cell>, b: NonNullable<Cell>) => number {
  if (type === "number") return (a, b) => Number(a) - Number(b);
  if (type === "date") return (a, b) => (Date.parse(String(a)) || 0) - (Date.parse(String(b)) || 0);
  return (a, b) => collator.compare(String(a), String(b));
}

const collator = new Intl.Collator(undefined, { numeric: true });
