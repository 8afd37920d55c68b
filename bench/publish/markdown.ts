import { median } from "../mcp/figures.ts";

/** A Markdown table as the formatter writes it. Columns of figures are aligned to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const width = Math.max(3, title.length, ...cells.map(({ length }) => length));
    return { width, isFigure: cells.every((cell) => /^-?[\d×–.,()/ ]+$/.test(cell)) };
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const pad = (row: readonly string[]) =>
    columns.map(({ width, isFigure }, at) => (isFigure ? row[at]?.padStart(width) : row[at]?.padEnd(width)) ?? "");
  const rule = columns.map(({ width, isFigure }) => (isFigure ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(pad(head)), line(rule), ...rows.map((row) => line(pad(row)))].join("\n");
}

/** Three significant digits, or all digits of a whole number with commas. */
export function shown(figure: number): string {
  if (!Number.isFinite(figure)) return "–";
  if (Math.abs(figure) >= 100 || Number.isInteger(figure)) return Math.round(figure).toLocaleString("en");
  return figure.toFixed(Math.abs(figure) >= 10 ? 1 : 2);
}

/** The median, and in brackets the least and the greatest figure of all rounds. */
export function withSpread(figures: readonly number[]): string {
  if (figures.length === 0) return "–";
  return `${shown(median(figures))} (${shown(Math.min(...figures))}–${shown(Math.max(...figures))})`;
}

export function times(factor: number): string {
  return `×${factor.toFixed(2)}`;
}

/** The name of a protocol version. */
export function eraName(era: string): string {
  if (era === "2026") return "2026-07-28";
  return era === "2025 stateless" ? "2025-11-25, no session" : "2025-11-25";
}
