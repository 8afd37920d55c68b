import { isMap, isScalar, isSeq, stringify } from "yaml";
import type { Node, Pair, YAMLMap } from "yaml";
import { BiplaneError } from "@biplane/core";
import { parseYaml } from "../../bounds/parse-yaml.ts";
import { maxConfigLength, readYaml } from "../../config/yaml-source.ts";
import { applyEdits, endOfLine, indentAt, lineEndOf, withLineEnd } from "./text-edit.ts";
import type { SettingsEntry, EntryPath, SettingsFormat } from "./settings-format.ts";

/** YAML, as in the settings of Goose. */
export const yamlFormat: SettingsFormat = { parse: readSettings, set: setEntry, remove: removeEntry };

function readSettings(text: string): unknown {
  const { value, faults } = readYaml(text);
  const [first] = faults;
  if (!first) return value ?? {};
  throw new BiplaneError("INVALID_DEFINITION", `cannot be used: ${first.message}`, {
    details: { offset: first.offset },
  });
}

function setEntry(text: string, [map, name]: EntryPath, entry: SettingsEntry): string {
  const lineEnd = lineEndOf(text);
  const pair = pairIn(rootOf(text), map);
  if (!pair) return `${withLineEnd(text)}${block({ [map]: { [name]: entry } }, "", lineEnd)}${lineEnd}`;
  const servers = pair.value;
  const isEmpty = isMap(servers) ? servers.items.length === 0 : isScalar(servers) || servers === null;
  if (isEmpty) {
    // `extensions: {} # a comment` becomes `extensions: # a comment` with lines below.
    const [from, to] = rangeOf(servers);
    const [start, end] = from === to ? [keyEnd(pair) + 1, keyEnd(pair) + 1] : [from, to];
    const below = endOfLine(text, end);
    const written = block({ [name]: entry }, `${indentAt(text, keyEnd(pair))}  `, lineEnd);
    return applyEdits(text, [
      { start: text.slice(0, start).trimEnd().length, end, text: "" },
      { start: below, end: below, text: `${lineEnd}${written}` },
    ]);
  }
  if (!isMap(servers)) return text;
  if (servers.flow) return setInFlow(text, servers, { name, entry });
  const indent = indentAt(text, rangeOf(servers.items[0]?.key)[0]);
  const found = pairIn(servers, name);
  const written = block({ [name]: entry }, indent, lineEnd);
  if (found) return applyEdits(text, [{ start: lineStart(text, found), end: endOfPair(text, found), text: written }]);
  const at = endOfLine(text, endOfPair(text, servers.items.at(-1) as NodePair));
  return applyEdits(text, [{ start: at, end: at, text: `${lineEnd}${written}` }]);
}

/** In `{ a: 1 }` JSON is YAML too. */
function setInFlow(
  text: string,
  servers: YAMLMap,
  { name, entry }: { readonly name: string; readonly entry: SettingsEntry },
): string {
  const found = pairIn(servers, name);
  if (found?.value) {
    const [start, end] = rangeOf(found.value);
    return applyEdits(text, [{ start, end, text: JSON.stringify(entry) }]);
  }
  const at = endOfPair(text, servers.items.at(-1) as NodePair);
  return applyEdits(text, [{ start: at, end: at, text: `, ${JSON.stringify(name)}: ${JSON.stringify(entry)}` }]);
}

function removeEntry(text: string, [map, name]: EntryPath): string {
  const pair = pairIn(rootOf(text), map);
  const found = isMap(pair?.value) ? pairIn(pair.value, name) : undefined;
  if (!pair || !isMap(pair.value) || !found || pair.value.flow) return text;
  const isOnly = pair.value.items.length === 1;
  const afterKey = keyEnd(pair) + 1;
  const end = endOfLine(text, endOfPair(text, found));
  return applyEdits(text, [
    ...(isOnly ? [{ start: afterKey, end: afterKey, text: " {}" }] : []),
    { start: Math.max(0, lineStart(text, found) - lineEndOf(text).length), end, text: "" },
  ]);
}

type NodePair = Pair<Node, Node | null>;

function rootOf(text: string): Node | null {
  const parsed = parseYaml(text, { maxLength: maxConfigLength, maxDepth: 64, maxTokens: maxConfigLength });
  return parsed.fault === undefined ? (parsed.documents[0]?.contents ?? null) : null;
}

function pairIn(map: unknown, name: string): NodePair | undefined {
  if (!isMap(map)) return undefined;
  return (map.items as NodePair[]).find(({ key }) => isScalar(key) && key.value === name);
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const [start = 0, end = 0] = (node as Node | null)?.range ?? [];
  return [start, end];
}

function keyEnd({ key }: NodePair): number {
  return rangeOf(key)[1];
}

function lineStart(text: string, { key }: NodePair): number {
  return text.lastIndexOf("\n", rangeOf(key)[0] - 1) + 1;
}

/** After the last character of its value. The range of a map goes on to the comments below it. */
function endOfPair(text: string, pair: NodePair): number {
  let { value } = pair;
  let end = keyEnd(pair) + 1;
  while (value) {
    end = rangeOf(value)[1];
    if (isMap(value) && !value.flow) {
      const last = value.items.at(-1) as NodePair;
      return endOfPair(text, last);
    }
    if (!isSeq(value) || value.flow) break;
    value = value.items.at(-1) as Node | null;
  }
  return text.slice(0, end).trimEnd().length;
}

/** A map in lines with an indent, without the last line break. */
function block(value: SettingsEntry, indent: string, lineEnd: string): string {
  const written = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
  return written.map((line) => indent + line).join(lineEnd);
}
