import type { Cell, Table } from "./read-table.ts";

/** Rows as comma-separated values. Text that a spreadsheet would take for a formula gets a mark before it. */
export function toCsv({ columns, rows }: Table, shown: readonly number[]): string {
  const lines = [columns.map(({ title }) => field(title)), ...shown.map((at) => (rows[at] ?? []).map(field))];
  return lines.map((line) => line.join(",")).join("\r\n");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  const isFormula = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) && !/^-?\d+(?:\.\d+)?$/.test(cell);
  const text = `${isFormula ? "'" : ""}${cell}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
