import { createScanner, parseTree } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { BiplaneError } from "@biplane/core";
import type { ParsedText } from "@biplane/core/client";
import { maxTextLength } from "@biplane/core/internal";
import type { Path, Problem, Range } from "@biplane/core/internal";

/** Parses JSON with comments and trailing commas. */
export function readJsonc(given: string, { maxLength = maxTextLength } = {}): ParsedText {
  if (given.length > maxLength) throw fault(0, `is longer than ${maxLength} characters`);
  const text = given.replace(/^\uFEFF/, " ");
  checkDepth(text);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw fault(first.offset, `has ${reasons[first.error] ?? "invalid JSON"}`);
  if (!tree) throw fault(0, "has nothing in it");
  const texts: Range[] = [];
  const root = read(tree, texts);
  return { value: root.value, rangeOf: (path, at) => rangeOf(root, path, at), texts };
}

const maxDepth = 64;

/** The parser is recursive, so that a text that is nested too deeply would exhaust the stack. */
function checkDepth(text: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const sign = scanner.getTokenLength() === 1 ? text[offset] : undefined;
    if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    if (depth > maxDepth) throw fault(offset, "is nested too deeply");
  }
}

/** By the library's error numbers. */
const reasons: Readonly<Record<number, string>> = {
  1: "a word or sign that is not JSON; write texts and keys in double quotes",
  2: "a number that is not JSON",
  3: "something else where a key in double quotes is expected",
  4: "something else where a value is expected",
  5: "something else where a colon is expected",
  6: "something else where a comma is expected",
  7: "something else where a comma or } is expected",
  8: "something else where a comma or ] is expected",
  9: "something after its end",
  11: "a comment that does not end",
  12: "a string that does not end",
  13: "a number that does not end",
  14: "a string with an invalid escape",
  15: "a string with an invalid escape",
  16: "a string with a control character",
};

/** A value with its range, and the members of an object or list with the ranges of their keys. */
interface ReadNode {
  readonly value: unknown;
  readonly range: Range;
  readonly parts?: ReadonlyMap<string, { readonly node: ReadNode; readonly key?: Range }>;
}

function read(node: Node, texts: Range[]): ReadNode {
  const range = whole(node);
  if (node.type === "string") texts.push(range);
  if (node.type === "array") {
    const items = (node.children ?? []).map((child) => read(child, texts));
    return {
      value: items.map(({ value }) => value),
      range,
      parts: new Map(items.map((item, index) => [String(index), { node: item }])),
    };
  }
  if (node.type !== "object") return { value: node.value as unknown, range };
  const parts = new Map<string, { node: ReadNode; key: Range }>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (!key || !value) continue;
    const name = String(key.value);
    if (name === "__proto__") throw fault(key.offset, "has the key __proto__, which is not allowed");
    if (parts.has(name)) throw fault(key.offset, `has ${JSON.stringify(name.slice(0, 80))} twice`);
    parts.set(name, { node: read(value, texts), key: whole(key) });
  }
  return { value: Object.fromEntries(Array.from(parts, ([name, part]) => [name, part.node.value])), range, parts };
}

function whole({ offset, length }: Node): Range {
  return [offset, offset + length];
}

function rangeOf(root: ReadNode, path: Path, at: Problem["at"]): Range {
  let node = root;
  let key: Range | undefined;
  for (const step of path) {
    const part = node.parts?.get(String(step));
    if (!part) return key ?? [node.range[0], node.range[0] + 1];
    ({ node, key } = { node: part.node, key: part.key });
  }
  return key && at === "key" ? key : node.range;
}

function fault(offset: number, message: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", message, { details: { offset } });
}
