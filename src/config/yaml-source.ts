import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from "yaml";
import type { Document, Node, Pair, YAMLMap } from "yaml";
import type { Path, Problem } from "../call/rules/problem.ts";

/** A YAML text as plain data, and where everything in it stands. */
export interface YamlSource {
  readonly value: unknown;
  /** What keeps it from being read at all, by offset. */
  readonly faults: readonly Fault[];
  /** From where to where something is written; of what is missing, where that which lacks it is. */
  readonly rangeOf: (path: Path, at: Problem["at"]) => Range;
}

export interface Fault {
  readonly offset: number;
  readonly message: string;
}

export type Range = readonly [from: number, to: number];

/**
 * Reads one document of plain data. Aliases, tags and directives are refused: a config file has no use for them, and a
 * few of them can blow up a short text.
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

export const longestText = 256 * 1024;
const deepest = 64;

/** The parser's own stack is watched, because what comes after it recurses, and may take the process down. */
function parse(text: string, faults: Fault[]): Document | undefined {
  if (text.length > longestText) {
    faults.push({ offset: 0, message: `is longer than ${longestText} characters` });
    return undefined;
  }
  const parser = new Parser();
  const tokens = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length <= deepest) continue;
    faults.push({ offset: parser.offset, message: "is nested too deeply, or something above it is not closed" });
    return undefined;
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, stringKeys: true, merge: false, schema: "core", strict: true });
  const [document, another] = composer.compose(tokens, true, text.length);
  for (const { pos, code, message } of document?.errors.slice(0, 10) ?? [])
    faults.push({ offset: pos[0], message: code === "NON_STRING_KEY" ? "a key must be plain text" : message });
  if (document?.directives?.yaml.explicit) faults.push({ offset: 0, message: "YAML directives are not used here" });
  if (another)
    faults.push({ offset: another.range[0], message: "a second document begins here; there may be only one" });
  return document;
}

function toData(node: Node | null, faults: Fault[]): unknown {
  if (node === null) return null;
  const offset = node.range?.[0] ?? 0;
  if (isAlias(node)) faults.push({ offset, message: "aliases are not used here; write it out" });
  else if (node.tag !== undefined) faults.push({ offset, message: "tags are not used here; leave it out" });
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
    else if (name === "__proto__") faults.push({ offset, message: "__proto__ may not be a key" });
    else if (Object.hasOwn(record, name)) faults.push({ offset, message: `${JSON.stringify(name)} is there twice` });
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

/** Each map is gone through once, because there may be as many mistakes in it as it has keys. */
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

/** What has no value of its own is shown by its key. */
function startOf(key: Node | undefined, node: Node | null): Range {
  if (key) return whole(key);
  const [from] = whole(node);
  return [from, from + 1];
}

function whole(node: Node | null): Range {
  const [from = 0, to = 0] = node?.range ?? [];
  return [from, to];
}
