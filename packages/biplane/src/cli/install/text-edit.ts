/** Replaces a range of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap, given in order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let changed = text;
  for (const { start, end, text: inserted } of edits.toReversed())
    changed = changed.slice(0, start) + inserted + changed.slice(end);
  return changed;
}

/** The spaces and tabs at the beginning of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** The offset of the line's end, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end === -1) return text.length;
  return text[end - 1] === "\r" && end > offset ? end - 1 : end;
}

/** The line break that the text uses. */
export function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The text with a line break at its end, unless it is empty. */
export function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + lineEndOf(text);
}
