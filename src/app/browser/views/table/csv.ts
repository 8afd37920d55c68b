import type { Cell, Table } from "./read-table.ts";

/** Rows as comma-separated values. Text that a spreadsheet would take for a formula gets a mark before it. */
export function toCsv({ columns, rows }: Table, shown: readonly number[]): string {
  const lines = [columns.map(({ title }) => field(title)), ...shown.map((at) => (rows[at] ?? []).map(field))];
  return lines.map((line) => line.join(",")).join("\r\n");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  const isText = typeof cell === "string" && !/^-?\d+(?:\.\d+)?$/.test(cell);
  // What is pasted is cut at tabs and line ends, whatever is in quotes: so cells may begin within this one.
  const text = isText ? cell.replaceAll(/^(?=[=+\-@\t\r])|(?<=[\t\r\n])(?=[=+\-@])/g, "'") : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
