import type { Path, Problem, Range } from "@biplane/core/internal";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, Node, Pair, YAMLMap } from "yaml";
import { parseYaml } from "../bounds/parse-yaml.ts";

/** A YAML text as plain data, with the positions of its values. */
export interface YamlSource {
  readonly value: unknown;
  /** Syntax errors, by offset. */
  readonly faults: readonly Fault[];
  /** The range of a value or key. For a missing value, the range of its parent. */
  readonly rangeOf: (path: Path, at: Problem["at"]) => Range;
}

export interface Fault {
  readonly offset: number;
  readonly message: string;
}

/**
 * Reads one document of plain data. Aliases, tags and directives are rejected: config files do not need them, and
 * aliases can expand a short text enormously.
 */
export function readYaml(text: string): YamlSource {
  const faults: Fault[] = [];
  const document = parse(text, faults);
  if (!document || faults.length > 0) return { value: undefined, faults, rangeOf: () => [0, 0] };
  const root = document.contents;
  const value = toData(root, faults);
  const findPair = pairFinder();
  return { value, faults, rangeOf: (path, at) => rangeOf(root, path, { at, findPair }) };
}

export const maxConfigLength = 256 * 1024;

function parse(text: string, faults: Fault[]): Document | undefined {
  const limits = { maxLength: maxConfigLength, maxDepth: 64, maxTokens: maxConfigLength };
  const parsed = parseYaml(text, limits, { stringKeys: true, merge: false, strict: true });
  if (parsed.fault !== undefined) {
    faults.push({ offset: parsed.offset, message: parsed.fault });
    return undefined;
  }
  const [document, another] = parsed.documents;
  for (const { pos, code, message } of document?.errors.slice(0, 10) ?? [])
    faults.push({ offset: pos[0], message: code === "NON_STRING_KEY" ? "a key must be plain text" : message });
  if (document?.directives?.yaml.explicit) faults.push({ offset: 0, message: "YAML directives are not supported" });
  if (another) faults.push({ offset: another.range[0], message: "a second document starts here; only one is allowed" });
  return document;
}

function toData(node: Node | null, faults: Fault[]): unknown {
  if (node === null) return null;
  const offset = node.range?.[0] ?? 0;
  if (isAlias(node)) faults.push({ offset, message: "YAML aliases are not supported; repeat the value" });
  else if (node.tag !== undefined) faults.push({ offset, message: "YAML tags are not supported; remove it" });
  else if (isScalar(node)) return node.value;
  else if (isSeq(node)) return node.items.map((item) => toData(item as Node, faults));
  else if (isMap(node)) return toRecord(node.items as readonly Pair<Node, Node | null>[], faults);
  return null;
}

function toRecord(pairs: readonly Pair<Node, Node | null>[], faults: Fault[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const { key, value } of pairs) {
    const name = isScalar(key) ? String(key.value) : "";
    const offset = key.range?.[0] ?? 0;
    if (isAlias(key) || key.tag !== undefined) faults.push({ offset, message: "a key must be plain text" });
    else if (name === "__proto__") faults.push({ offset, message: "__proto__ is not allowed as a key" });
    else if (Object.hasOwn(record, name))
      faults.push({ offset, message: `the key ${JSON.stringify(name)} appears twice` });
    else record[name] = toData(value, faults);
  }
  return record;
}

interface Finding {
  readonly at: Problem["at"];
  readonly findPair: (map: YAMLMap, name: string) => Pair | undefined;
}

function rangeOf(root: Node | null, path: Path, { at, findPair }: Finding): Range {
  let node = root;
  let key: Node | undefined;
  for (const step of path) {
    const next = isSeq(node) ? { value: node.items[Number(step)] } : isMap(node) && findPair(node, String(step));
    if (!next || next.value === undefined) return startOf(key, node);
    node = next.value as Node | null;
    key = "key" in next ? (next.key as Node) : undefined;
    if (node === null) return startOf(key, node);
  }
  const [from, to] = whole(node);
  return key && (at === "key" || from === to) ? whole(key) : [from, to];
}

/** Indexes each map once, since it may have as many errors as keys. */
function pairFinder(): Finding["findPair"] {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map, name) => {
    let pairs = known.get(map);
    if (!pairs) {
      pairs = new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : "", pair]));
      known.set(map, pairs);
    }
    return pairs.get(name);
  };
}

/** Values without a range of their own are located by their key. */
function startOf(key: Node | undefined, node: Node | null): Range {
  if (key) return whole(key);
  const [from] = whole(node);
  return [from, from + 1];
}

function whole(node: Node | null): Range {
  const [from = 0, to = 0] = node?.range ?? [];
  return [from, to];
}
