import { createScanner, findNodeAtLocation, parseTree } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { readJsonc } from "../../config/jsonc.ts";
import { applyEdits, endOfLine, indentAt, lineEndOf } from "./text-edit.ts";
import type { TextEdit } from "./text-edit.ts";
import type { SettingsEntry, EntryPath, SettingsFormat } from "./settings-format.ts";

/** JSON with comments and trailing commas, as in the settings of most hosts. */
export const jsoncFormat: SettingsFormat = {
  parse: (text) => (isBlank(text) ? {} : readJsonc(text, { maxLength: 16 * 1024 * 1024 }).value),
  set: setEntry,
  remove: removeEntry,
};

function setEntry(text: string, [map, name]: EntryPath, entry: SettingsEntry): string {
  const style = { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ", lineEnd: lineEndOf(text) };
  const root = isBlank(text) ? undefined : treeOf(text);
  if (!root) return `${text}${lines({ [map]: { [name]: entry } }, { ...style, indent: "" })}${style.lineEnd}`;
  const servers = findNodeAtLocation(root, [map]);
  if (!servers) return applyEdits(text, insertion(text, root, { name: map, value: { [name]: entry }, ...style }));
  if (servers.type !== "object") return replaced(text, servers, { value: { [name]: entry }, ...style });
  const found = findNodeAtLocation(root, [map, name]);
  if (found) return replaced(text, found, { value: entry, ...style });
  return applyEdits(text, insertion(text, servers, { name, value: entry, ...style }));
}

interface Style {
  readonly unit: string;
  readonly lineEnd: string;
}

interface Member extends Style {
  readonly name: string;
  readonly value: unknown;
}

function replaced(text: string, node: Node, { value, ...style }: Style & { readonly value: unknown }): string {
  const indent = indentAt(text, node.offset);
  return applyEdits(text, [
    { start: node.offset, end: node.offset + node.length, text: lines(value, { ...style, indent }) },
  ]);
}

/** Adds a member after the last one, and after the comment that ends its line. */
function insertion(text: string, object: Node, { name, value, ...style }: Member): TextEdit[] {
  const { unit, lineEnd } = style;
  const members = object.children ?? [];
  const [first] = members;
  const last = members.at(-1);
  const closing = object.offset + object.length - 1;
  const outer = indentAt(text, object.offset);
  if (!first || !last) {
    const start = object.offset + text.slice(object.offset, closing).trimEnd().length;
    const indent = outer + unit;
    const member = `${JSON.stringify(name)}: ${lines(value, { ...style, indent })}`;
    return [{ start, end: closing, text: `${lineEnd}${indent}${member}${lineEnd}${outer}` }];
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end);
  const isOneLine = !text.slice(object.offset, first.offset).includes("\n");
  if (isOneLine) {
    const at = comma ?? end;
    return [
      {
        start: at,
        end: at,
        text: `${comma === undefined ? "," : ""} ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
      },
    ];
  }
  const indent = indentAt(text, first.offset);
  const at = endOfTrailingComment(text, comma ?? end);
  const member = `${lineEnd}${indent}${JSON.stringify(name)}: ${lines(value, { ...style, indent })}`;
  return [
    ...(comma === undefined ? [{ start: end, end, text: "," }] : []),
    { start: at, end: at, text: comma === undefined ? member : `${member},` },
  ];
}

function removeEntry(text: string, path: EntryPath): string {
  const value = findNodeAtLocation(treeOf(text), [...path]);
  const member = value?.parent;
  const members = member?.parent?.children ?? [];
  if (!member) return text;
  const end = member.offset + member.length;
  const comma = commaAfter(text, end);
  const before = members[members.indexOf(member) - 1];
  const commaBefore = before && comma === undefined ? commaAfter(text, before.offset + before.length) : undefined;
  return applyEdits(text, [
    ...(commaBefore === undefined ? [] : [{ start: commaBefore - 1, end: commaBefore, text: "" }]),
    wholeLines(text, member.offset, comma ?? end),
  ]);
}

/** Widens a range to its lines if nothing else is on them. */
function wholeLines(text: string, start: number, end: number): TextEdit {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = endOfLine(text, end);
  const isAlone = text.slice(lineStart, start).trim() === "" && text.slice(end, lineEnd).trim() === "";
  return isAlone && lineStart > 0 ? { start: lineStart - 1, end: lineEnd, text: "" } : { start, end, text: "" };
}

/** The offset after the comma that follows, if the next sign is one. */
function commaAfter(text: string, offset: number): number | undefined {
  const { start, token } = nextToken(text, offset, { skipsComments: true });
  return token === "," ? start + 1 : undefined;
}

/** After the comments that follow on the same line. */
function endOfTrailingComment(text: string, offset: number): number {
  let [end, at] = [offset, offset];
  for (;;) {
    const { start, token } = nextToken(text, at, { skipsComments: false });
    at = start + token.length;
    if (token.startsWith("//") || token.startsWith("/*")) end = at;
    else if (token.trim() !== "" || token.includes("\n") || token === "") return end;
  }
}

interface Token {
  readonly start: number;
  /** As it is written; empty at the end of the text. */
  readonly token: string;
}

function nextToken(text: string, offset: number, { skipsComments }: { readonly skipsComments: boolean }): Token {
  const scanner = createScanner(text, skipsComments);
  scanner.setPosition(offset);
  scanner.scan();
  const start = scanner.getTokenOffset();
  return { start, token: text.slice(start, start + scanner.getTokenLength()) };
}

/** A value in lines, of which all but the first are indented. */
function lines(value: unknown, { unit, lineEnd, indent }: Style & { readonly indent: string }): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", lineEnd + indent);
}

function treeOf(text: string): Node {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (!tree) throw new Error("the text has no value"); // it was parsed before
  return tree;
}

/** True if there is nothing, or comments only. */
function isBlank(text: string): boolean {
  return nextToken(text, 0, { skipsComments: true }).token === "";
}
