import { TomlError, parse } from "smol-toml";
import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { applyEdits, lineEndOf, withLineEnd } from "./text-edit.ts";
import type { SettingsEntry, EntryPath, SettingsFormat } from "./settings-format.ts";
import { tomlTables } from "./toml-tables.ts";
import type { TomlTable } from "./toml-tables.ts";

/** TOML, as in the settings of Codex. An entry is a table with its own heading. */
export const tomlFormat: SettingsFormat = { parse: parseToml, set: setEntry, remove: removeEntry };

function parseToml(text: string): unknown {
  try {
    return parse(text, { maxDepth: 64, unsafeKeyBehaviour: "throw" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const offset = text.split("\n", error.line - 1).join("\n").length + (error.line > 1 ? 1 : 0) + error.column - 1;
    // Further lines of the message quote the file, which may contain secrets.
    const [reason = ""] = error.message.split("\n");
    throw new BiplaneError("INVALID_DEFINITION", `is not valid TOML: ${reason}`, { details: { offset }, cause: error });
  }
}

function setEntry(text: string, path: EntryPath, entry: SettingsEntry): string {
  const written = tablesOf(path, entry).replaceAll("\n", lineEndOf(text));
  const [first, ...rest] = tablesAt(text, path);
  if (first) {
    const edits = rest.map(({ start, end }) => ({ start, end, text: "" }));
    return applyEdits(text, [{ start: first.start, end: first.end, text: written }, ...edits]);
  }
  const before = withLineEnd(text);
  return `${before}${before.trim() === "" ? "" : lineEndOf(text)}${written}`;
}

function removeEntry(text: string, path: EntryPath): string {
  const edits = tablesAt(text, path).map(({ start, end }) => ({ start, end, text: "" }));
  return applyEdits(text, edits);
}

/** The table of an entry and those in it, such as `[mcp_servers.name.env]`. */
function tablesAt(text: string, path: EntryPath): TomlTable[] {
  return tomlTables(text).filter((table) => path.every((key, at) => table.path[at] === key));
}

function tablesOf(path: readonly string[], entry: SettingsEntry): string {
  const values = Object.entries(entry).filter(([, value]) => !isRecord(value));
  const tables = Object.entries(entry).filter((pair): pair is [string, SettingsEntry] => isRecord(pair[1]));
  return [
    `[${path.map(key).join(".")}]\n${values.map(([name, value]) => `${key(name)} = ${literal(value)}\n`).join("")}`,
    ...tables.map(([name, value]) => tablesOf([...path, name], value)),
  ].join("\n");
}

function key(name: string): string {
  return /^[\w-]+$/.test(name) ? name : literal(name);
}

/** JSON's strings, numbers and lists are TOML too, except for one character. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  return JSON.stringify(value).replaceAll("\u007F", String.raw`\u007f`);
}
