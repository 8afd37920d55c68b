/** A part of a text that belongs to secrets, and what to put in its place. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Adds a span to a list that grows to the right. What overlaps becomes one, under the name of the first. */
export function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (!last || span.start >= last.end) spans.push(span);
  else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let replaced = "";
  let from = 0;
  for (const { start, end, label } of spans) {
    replaced += text.slice(from, start) + label;
    from = end;
  }
  return replaced + text.slice(from);
}
