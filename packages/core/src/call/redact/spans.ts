import type { TextRange } from "../../tool/call.ts";

/** A match in a text and its replacement. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Appends a span; spans must come in order. Overlapping spans merge under the first label. */
export function addSpan(spans: SecretSpan[], span: SecretSpan): void {
  const last = spans.at(-1);
  if (!last || span.start >= last.end) spans.push(span);
  else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
}

/** The spans of several searches of one text, in order. */
export function mergeSpans(searches: readonly (readonly SecretSpan[])[]): readonly SecretSpan[] {
  const found = searches.filter((spans) => spans.length > 0);
  if (found.length < 2) return found[0] ?? [];
  const merged: SecretSpan[] = [];
  for (const span of found.flat().sort((a, b) => a.start - b.start || b.end - a.end)) addSpan(merged, span);
  return merged;
}

/** Replaces the spans of a text. With `range`, returns only that part; spans that reach into it are replaced too. */
export function replaceSpans(text: string, spans: readonly SecretSpan[], range?: TextRange): string {
  const { start: first, end: last } = range ?? { start: 0, end: text.length };
  let replaced = "";
  let from = first;
  for (const { start, end, label } of spans) {
    if (end <= first || start >= last) continue;
    replaced += text.slice(from, Math.max(from, start)) + label;
    from = end;
  }
  return replaced + text.slice(from, Math.max(from, last));
}
