import { cleanLine } from "./clean-text.ts";

/** Escapes control characters in untrusted text, except colours, which end with the text. */
export function safeText(text: string, hasColours: boolean): string {
  // Without colours, a highlighted cell is shown in brackets.
  const marked = hasColours ? text : text.replaceAll(highlighted, "[$1]");
  const safe = marked.replaceAll(controls, (found) => {
    if (found.length > 1) return hasColours ? found : "";
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return safe.includes(escape) ? `${safe}${escape}[0m` : safe;
}

const escape = String.fromCharCode(27);
const highlighted = new RegExp(`${escape}\\[4[1-7]m([^${escape}\\n]*)${escape}\\[0m`, "g");

/** Codes of visible colours, and every control or bidirectional character except newline and tab. */
const colour = "(?:[01]|[349][1-7])?";
const controls = new RegExp(`${escape}\\[${colour}(?:;${colour})*m|(?![\\n\\t])[\\p{Cc}\\p{Bidi_Control}]`, "gu");

/** A text table with aligned columns; numbers are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => cleanLine(cell)));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const isNumber = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^(?:[-+−<$]? ?[\d.,%]*|–)$/.test(row[column] ?? "")),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return all.map(line).join("\n");
}

/** A number with at most three decimals. */
export function short(value: number | null): string {
  if (value === null) return "none";
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

/** A duration such as "250 ms", "3.2 s" or "2 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A bar chart of values, `height` lines high. */
export function curve(values: readonly number[], options: { height?: number; width?: number } = {}): string {
  const { height = 6, width = 60 } = options;
  if (values.length === 0) return "";
  const columns =
    values.length <= width
      ? values
      : Array.from({ length: width }, (_, at) => values[Math.floor((at * values.length) / width)] ?? 0);
  const [low, high] = [Math.min(0, ...columns), Math.max(0, ...columns)];
  const span = high - low || 1;
  const blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
  const lines = Array.from({ length: height }, (_, row) => {
    const floor = height - 1 - row;
    const cells = columns.map((value) => {
      const eighths = Math.round(((value - low) / span) * height * 8) - floor * 8;
      return blocks[Math.max(0, Math.min(8, eighths))];
    });
    const label = row === 0 ? short(high) : row === height - 1 ? short(low) : "";
    return `${label.padStart(8)} │${cells.join("")}`.trimEnd();
  });
  return lines.join("\n");
}
