import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../format.ts";
import { CopyButton } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

/** Any JSON value as a collapsible tree. Long texts and lists are truncated; redactions are marked. */
export function Json(props: {
  readonly value: unknown;
  /** Levels that are expanded initially. `Infinity` shows everything and truncates nothing. */
  readonly depth?: number;
  /** Adds a copy button with this label. */
  readonly copyLabel?: string;
}): JSX.Element {
  const { value, depth = 2, copyLabel } = props;
  return (
    <div class="json">
      {copyLabel !== undefined && (
        <div class="json-copy">
          <CopyButton text={jsonText(value)} label={copyLabel} />
        </div>
      )}
      <Value value={value} depth={depth} />
    </div>
  );
}

/** The value as indented text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "undefined";
}

/** True if the tree of a value, expanded to this depth, hides a part of it. */
export function isFolded(value: unknown, depth: number): boolean {
  if (typeof value === "string") return (isProse(value) ? value : quoted(value)).length > maxText;
  if (typeof value !== "object" || value === null || isShortList(value)) return false;
  const entries = Object.entries(value);
  if (entries.length === 0) return false;
  if (depth <= 0 || entries.length > maxOpen) return true;
  return entries.some(([key, inner]) => JSON.stringify(key).length > maxName || isFolded(inner, depth - 1));
}

/** Larger objects and lists are folded at first, and longer names and texts are cut. */
const maxOpen = 50;
const maxName = 120;
const maxText = 600;

function Value(props: {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly depth: number;
}): JSX.Element {
  const { value, name, depth } = props;
  if (typeof value === "object" && value !== null && !isShortList(value))
    return <Branch value={value} name={name} depth={depth} />;
  return (
    <div class="json-leaf">
      <Name name={name} depth={depth} />
      <Leaf value={value} depth={depth} />
    </div>
  );
}

/** Numbers and the like are shown on one line, such as the rows of a board. */
function isShortList(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxShortList &&
    value.every((each) => each === null || typeof each === "number" || typeof each === "boolean")
  );
}

const maxShortList = 24;

function Branch(props: {
  readonly value: object;
  readonly name?: string | undefined;
  readonly depth: number;
}): JSX.Element {
  const { value, name, depth } = props;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(depth > 0 && (depth === Infinity || entries.length <= maxOpen));
  const [maxShown, setMaxShown] = useState(depth === Infinity ? Infinity : 100);
  const [before, after] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0)
    return (
      <div class="json-leaf">
        <Name name={name} depth={depth} />
        <span class="muted">{isList ? "[]" : "{}"}</span>
      </div>
    );
  return (
    <div>
      <button type="button" class="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <Name name={name} depth={depth} />
        <span class="muted">
          {isOpen ? before : `${before} ${plural(entries.length, isList ? "item" : "key")} ${after}`}
        </span>
      </button>
      {isOpen && (
        <>
          <div class="json-inner">
            {entries.slice(0, maxShown).map(([key, inner]) => (
              <Value key={key} value={inner} name={isList ? undefined : key} depth={depth - 1} />
            ))}
            {entries.length > maxShown && (
              <button type="button" class="more" onClick={() => setMaxShown(maxShown * 8)}>
                {plural(entries.length - maxShown, "more item")}
              </button>
            )}
          </div>
          <span class="muted json-end">{after}</span>
        </>
      )}
    </div>
  );
}

function Name({ name, depth }: { readonly name: string | undefined; readonly depth: number }): JSX.Element | null {
  if (name === undefined) return null;
  return (
    <span class="json-name">
      <Text
        value={/^[\w$-]*$/.test(name) ? name : JSON.stringify(name)}
        maxLength={depth === Infinity ? Infinity : maxName}
        isFixed
      />
      {": "}
    </span>
  );
}

function Leaf({ value, depth }: { readonly value: unknown; readonly depth: number }): JSX.Element {
  if (typeof value === "string" && isProse(value))
    return (
      <span class="json-prose">
        <Text value={value} isBlock maxLength={depth === Infinity ? Infinity : maxText} />
      </span>
    );
  if (typeof value === "string")
    return (
      <span class="json-string">
        "<Text value={quoted(value)} isBlock maxLength={depth === Infinity ? Infinity : maxText} />"
      </span>
    );
  if (isShortList(value))
    return (
      <span>
        [
        {value.map((each, at) => (
          <span key={at}>
            {at > 0 && ", "}
            <Leaf value={each} depth={depth} />
          </span>
        ))}
        ]
      </span>
    );
  const kind = typeof value === "number" ? "json-number" : "json-literal";
  return <span class={kind}>{JSON.stringify(value) ?? "undefined"}</span>;
}

/** A letter, shown in paragraphs in a box. A text with lines that look like members or code is quoted instead. */
function isProse(text: string): boolean {
  if (!text.trimEnd().includes("\n")) return false;
  const lines = text.split("\n");
  return lines.some((line) => line.length > 60) && !lines.some((line) => likeJson.test(line));
}

const likeJson = /^(?:\s+\S|[{}[\]"'`<|#]|["']?[\p{L}\p{N}_.$-]+["']?\s*[:=])/u;

/** Marks quotes and line ends, so that a string cannot imitate other keys and values. */
function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "↵\n");
}
