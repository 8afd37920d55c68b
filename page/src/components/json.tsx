import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../format.ts";
import { CopyButton } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

/** Any JSON value as a tree that opens and closes. Long texts and long lists are cut; redactions are marked. */
export function Json(props: {
  readonly value: unknown;
  /** How deep it is open at first. */
  readonly depth?: number;
  /** Adds a button that copies it. */
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

function Value(props: {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly depth: number;
}): JSX.Element {
  const { value, name, depth } = props;
  if (typeof value === "object" && value !== null) return <Branch value={value} name={name} depth={depth} />;
  return (
    <div class="json-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch(props: {
  readonly value: object;
  readonly name?: string | undefined;
  readonly depth: number;
}): JSX.Element {
  const { value, name, depth } = props;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(depth > 0 && entries.length <= 50);
  const [most, setMost] = useState(100);
  const [before, after] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0)
    return (
      <div class="json-leaf">
        <Name name={name} />
        <span class="muted">{isList ? "[]" : "{}"}</span>
      </div>
    );
  return (
    <div>
      <button type="button" class="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <Name name={name} />
        <span class="muted">
          {isOpen ? before : `${before} ${plural(entries.length, isList ? "item" : "key")} ${after}`}
        </span>
      </button>
      {isOpen && (
        <>
          <div class="json-inner">
            {entries.slice(0, most).map(([key, inner]) => (
              <Value key={key} value={inner} name={isList ? undefined : key} depth={depth - 1} />
            ))}
            {entries.length > most && (
              <button type="button" class="more" onClick={() => setMost(most * 8)}>
                {plural(entries.length - most, "more")}
              </button>
            )}
          </div>
          <span class="muted json-end">{after}</span>
        </>
      )}
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }): JSX.Element | null {
  if (name === undefined) return null;
  return (
    <span class="json-name">
      <Text value={/^[\w$-]*$/.test(name) ? name : JSON.stringify(name)} most={120} isFixed />
      {": "}
    </span>
  );
}

function Leaf({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === "string")
    return (
      <span class="json-string">
        "<Text value={quoted(value)} isBlock most={600} />"
      </span>
    );
  const kind = typeof value === "number" ? "json-number" : "json-word";
  return <span class={kind}>{JSON.stringify(value) ?? "undefined"}</span>;
}

/** Where a text ends, and each of its lines, is seen: else it could draw keys and values that are not there. */
function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "↵\n");
}
