export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Line numbers before and after, from 1. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/**
 * A shortest line diff (Myers). Texts with almost nothing in common become one deletion and one insertion, because the
 * search would take too long.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const kinds: DiffLine["kind"][] = [
    ...Array<"same">(start).fill("same"),
    ...middle,
    ...Array<"same">(end).fill("same"),
  ];
  let [atA, atB] = [0, 0];
  return kinds.map((kind) => {
    const isA = kind !== "new";
    const isB = kind !== "gone";
    const text = (isA ? a[atA] : b[atB]) ?? "";
    return { kind, text, before: isA ? ++atA : undefined, after: isB ? ++atB : undefined };
  });
}

/** A line diff of two values. Whether a comma follows is no difference, because it only says that more members follow. */
export function jsonDiff(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  return lineDiff(withoutCommas(before), withoutCommas(after)).map((line) => ({
    ...line,
    text: (line.after === undefined ? a[(line.before ?? 0) - 1] : b[line.after - 1]) ?? line.text,
  }));
}

/** JSON with sorted keys and one line for each value. Texts keep their line breaks. */
export function comparableJson(value: unknown): string {
  const lines = (JSON.stringify(sorted(value), undefined, 2) ?? "undefined").split("\n");
  return lines.map(withLineBreaks).join("\n");
}

/** A comma at the end of a line is never part of a text: those lines end with a sign or a quote. */
function withoutCommas(json: string): string {
  return json.replaceAll(/,$/gm, "");
}

/** Breaks a line of JSON where its text does. The sign keeps a break from looking like the end of the text. */
function withLineBreaks(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return line.replaceAll(/\\(.)/g, (escape, sign) => (sign === "n" ? `↵\n${indent}  ` : escape));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

const maxEdits = 1500;

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
  const all = [...Array<"gone">(a.length).fill("gone"), ...Array<"new">(b.length).fill("new")];
  if (a.length === 0 || b.length === 0) return all;
  const reached: Int32Array[] = [];
  const max = Math.min(a.length + b.length, maxEdits);
  let furthest = new Int32Array(2 * max + 3);
  for (let edits = 0; edits <= max; edits++) {
    reached.push(furthest);
    const next = furthest.slice();
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && at(furthest, k - 1, max) < at(furthest, k + 1, max));
      let x = isDown ? at(furthest, k + 1, max) : at(furthest, k - 1, max) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + max + 1] = x;
      if (x >= a.length && x - k >= b.length) return trace(reached, { a: a.length, b: b.length, max });
    }
    furthest = next;
  }
  return all;
}

function trace(reached: readonly Int32Array[], size: { a: number; b: number; max: number }): DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let [x, y] = [size.a, size.b];
  for (let edits = reached.length - 1; edits >= 0; edits--) {
    const furthest = reached[edits] ?? new Int32Array();
    const k = x - y;
    const isDown = k === -edits || (k !== edits && at(furthest, k - 1, size.max) < at(furthest, k + 1, size.max));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : at(furthest, fromK, size.max);
    const fromY = edits === 0 ? 0 : fromX - fromK;
    // Walk back along the diagonal to this edit, then across it.
    const [madeX, madeY] = edits === 0 ? [0, 0] : isDown ? [fromX, fromY + 1] : [fromX + 1, fromY];
    for (; x > madeX && y > madeY; x--, y--) kinds.push("same");
    if (edits > 0) kinds.push(isDown ? "new" : "gone");
    [x, y] = [fromX, fromY];
  }
  return kinds.reverse();
}

function at(furthest: Int32Array, k: number, max: number): number {
  return furthest[k + max + 1] ?? 0;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
