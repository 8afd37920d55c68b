import { schemaError, showJson } from "./fault.ts";
import type { SchemaNode } from "./schema-document.ts";
import { isRecord } from "../../is-record.ts";

export function readNumber(node: SchemaNode, keyword: string): number | undefined {
  const value = node.keywords[keyword];
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  throw wrong(node, keyword, "a number");
}

/** A non-negative integer; 2.0 counts. */
export function readCount(node: SchemaNode, keyword: string): number | undefined {
  const value = node.keywords[keyword];
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0)) return value;
  throw wrong(node, keyword, "a non-negative integer");
}

export function readFlag(node: SchemaNode, keyword: string): boolean {
  const value = node.keywords[keyword];
  if (value === undefined || typeof value === "boolean") return value ?? false;
  throw wrong(node, keyword, "true or false");
}

export function readStrings(node: SchemaNode, keyword: string): readonly string[] {
  const value = node.keywords[keyword];
  if (value === undefined) return [];
  if (isStrings(value)) return value;
  throw wrong(node, keyword, "an array of strings");
}

export function readNameLists(node: SchemaNode, keyword: string): [string, readonly string[]][] {
  const value = node.keywords[keyword];
  if (value === undefined) return [];
  if (!isRecord(value)) throw wrong(node, keyword, "an object of arrays of strings");
  return Object.entries(value).map(([name, names]) => {
    if (isStrings(names)) return [name, names];
    throw wrong(node, keyword, "an object of arrays of strings");
  });
}

/** The specification demands Unicode patterns, but many real ones only parse without the flag. */
export function readRegExp(source: unknown, path: string): RegExp {
  if (typeof source !== "string") throw schemaError(path, "it must be a string");
  const pattern = tryPattern(source, "u") ?? tryPattern(source, "");
  if (pattern === undefined) throw schemaError(path, `${showJson(source)} is not a valid regular expression`);
  return pattern;
}

function wrong(node: SchemaNode, keyword: string, wanted: string): Error {
  return schemaError(`${node.path}/${keyword}`, `it must be ${wanted}`);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function tryPattern(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
