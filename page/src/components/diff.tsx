import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { comparableJson, jsonDiff, lineDiff } from "./line-diff.ts";
import type { DiffLine } from "./line-diff.ts";
import { indentOf } from "./code.tsx";
import { Pieces } from "./text.tsx";

/** A line diff of two texts. */
export function Diff(props: { readonly before: string; readonly after: string; readonly label: string }): JSX.Element {
  const { before, after, label } = props;
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  return <Folded lines={lines} label={label} />;
}

/** A line diff of two JSON values that ignores key order. */
export function JsonDiff(props: {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}): JSX.Element {
  const [before, after] = [comparableJson(props.before), comparableJson(props.after)];
  const lines = useMemo(() => jsonDiff(before, after), [before, after]);
  return <Folded lines={lines} label={props.label} />;
}

/** The lines of a diff. Unchanged parts are folded. */
function Folded({ lines, label }: { readonly lines: readonly DiffLine[]; readonly label: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  if (lines.every(({ kind }) => kind === "same")) return <p class="muted">No differences.</p>;
  return (
    <div class="code diff" role="region" aria-label={label} tabIndex={0}>
      <pre>
        {(isWhole ? [lines] : folded(lines)).map((part, at) =>
          typeof part === "number" ? (
            <button key={at} type="button" class="more diff-fold" onClick={() => setWhole(true)}>
              {plural(part, "unchanged line")}
            </button>
          ) : (
            <Lines key={at} lines={part} />
          ),
        )}
      </pre>
    </div>
  );
}

function Lines({ lines }: { readonly lines: readonly DiffLine[] }): ComponentChildren {
  return lines.slice(0, maxLines).map(({ kind, text, before, after }, at) => (
    <div key={at} class={`diff-line diff-${kind}`}>
      <span class="diff-number" aria-hidden="true">
        {before ?? ""}
      </span>
      <span class="diff-number" aria-hidden="true">
        {after ?? ""}
      </span>
      <span class="diff-sign">{signs[kind]}</span>
      <span class="diff-text" style={indentOf(text)}>
        <Pieces text={text.length > 2000 ? `${text.slice(0, 2000)}…` : text} isBlock />
      </span>
    </div>
  ));
}

const signs = { same: " ", gone: "−", new: "+" };
const around = 3;
/** Fewer lines are not folded. */
const fewest = 3;
const maxLines = 3000;

/** Visible parts, and between them the number of folded lines. */
function folded(lines: readonly DiffLine[]): readonly (readonly DiffLine[] | number)[] {
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(true, Math.max(0, at - around), at + around + 1);
  let start = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && isNear[at] !== true) continue;
    if (at - start < fewest) isNear.fill(true, start, at);
    start = at + 1;
  }
  const parts: (DiffLine[] | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    if (isNear[at] === true) {
      if (Array.isArray(last)) last.push(line);
      else parts.push([line]);
    } else if (typeof last === "number") parts[parts.length - 1] = last + 1;
    else parts.push(1);
  }
  return parts;
}
