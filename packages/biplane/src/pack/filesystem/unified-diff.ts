import { Turns } from "@biplane/core/internal";

export interface DiffOptions {
  readonly path: string;
  /** Maximum characters to show of each side, and of the lines around them (default: all). */
  readonly maxLength?: number;
  readonly turns?: Turns;
}

/** A unified diff with one hunk, from the first changed line to the last. */
export async function unifiedDiff(before: string, after: string, options: DiffOptions): Promise<string> {
  const { path, maxLength = Infinity, turns = new Turns() } = options;
  const head = `--- ${path}\toriginal\n+++ ${path}\tmodified\n`;
  if (before === after) return head;
  const { start, end } = await changedPart(before, after, turns);
  const above = linesAbove(before, start);
  const below = linesBelow(before, before.length - end);
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const first = await countLines(before.slice(0, above.from), turns);
  const shared = above.lines.length + below.length;
  const [oldCount, newCount] = [await countLines(old, turns), await countLines(now, turns)];
  const spans = `@@ -${span(first, oldCount + shared)} +${span(first, newCount + shared)} @@\n`;
  const maxLine = maxLength / (2 * context);
  const cutLine = (line: string) => (line.length > maxLine ? `${line.slice(0, maxLine)}…\n` : line);
  const hunk = [
    ...above.lines.map((line) => ` ${cutLine(line)}`),
    ...linesOf(old.slice(0, maxLength)).map((line) => `-${line}`),
    ...linesOf(now.slice(0, maxLength)).map((line) => `+${line}`),
    ...below.map((line) => ` ${cutLine(line)}`),
  ];
  const isCut =
    Math.max(old.length, now.length) > maxLength || [...above.lines, ...below].some((line) => line.length > maxLine);
  const note = isCut ? `… The diff is cut. Up to ${maxLength} characters of each side are shown.\n` : "";
  return `${head}${spans}${hunk.map(withLineEnd).join("")}${note}`;
}

const context = 3;

/** The length of the equal lines at the beginning and at the end. */
async function changedPart(before: string, after: string, turns: Turns): Promise<{ start: number; end: number }> {
  const max = Math.min(before.length, after.length);
  let start = 0;
  for (let step = partLength; step >= 1; await turns.next()) {
    const isEqual = start + step <= max && before.slice(start, start + step) === after.slice(start, start + step);
    if (isEqual) start += step;
    else step = Math.floor(step / 2);
  }
  start = before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  const tail = (text: string, length: number) => text.slice(text.length - end - length, text.length - end);
  for (let step = partLength; step >= 1; await turns.next()) {
    const isEqual = start + end + step <= max && tail(before, step) === tail(after, step);
    if (isEqual) end += step;
    else step = Math.floor(step / 2);
  }
  if (beginsLine(before, before.length - end) && beginsLine(after, after.length - end)) return { start, end };
  const lineEnd = before.indexOf("\n", before.length - end);
  return { start, end: lineEnd < 0 ? 0 : before.length - lineEnd - 1 };
}

function beginsLine(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

const partLength = 2 ** 20;

function linesAbove(text: string, end: number): { from: number; lines: string[] } {
  let from = end;
  for (let count = 0; count < context && from > 0; count++) from = text.lastIndexOf("\n", from - 2) + 1;
  return { from, lines: linesOf(text.slice(from, end)) };
}

function linesBelow(text: string, start: number): string[] {
  let to = start;
  for (let count = 0; count < context && to < text.length; count++) {
    const end = text.indexOf("\n", to);
    to = end < 0 ? text.length : end + 1;
  }
  return linesOf(text.slice(start, to));
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A last line without a line break counts too. */
async function countLines(text: string, turns: Turns): Promise<number> {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
    if (++count % 1000 === 0) await turns.next();
  return count;
}

function withLineEnd(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
}

function span(from: number, count: number): string {
  return `${count > 0 ? from + 1 : from},${count}`;
}
