import type { Cell, Table } from "./read-table.ts";

/** Rows as CSV. Text that a spreadsheet would read as a formula gets a leading `'`. */
export function toCsv({ columns, rows }: Table, shown: readonly number[]): string {
  const lines = [columns.map(({ title }) => field(title)), ...shown.map((at) => (rows[at] ?? []).map(field))];
  return lines.map((line) => line.join(",")).join("\r\n");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  const isText = typeof cell === "string" && !/^-?\d+(?:\.\d+)?$/.test(cell);
  // Pasting splits at tabs and line breaks even inside quotes, so a formula may start within a cell.
  const text = isText ? cell.replaceAll(/^(?=[=+\-@\t\r])|(?<=[\t\r\n])(?=[=+\-@])/g, "'") : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
