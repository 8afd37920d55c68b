import type { Params } from "./rpc.ts";
import { isRecord } from "../is-record.ts";

/** An argument that clients repeat in an HTTP header, declared by `x-mcp-header` in the input schema. */
export interface HeaderParameter {
  readonly header: string;
  readonly path: readonly string[];
}

/** The header parameters of an input schema, or a message that says which annotation is invalid. */
export function findHeaderParameters(schema: Params): readonly HeaderParameter[] | string {
  const found: HeaderParameter[] = [];
  const mistakes: string[] = [];
  const walk = (at: Params, path: readonly string[]) => {
    const properties = isRecord(at["properties"]) ? at["properties"] : {};
    for (const [key, property] of Object.entries(properties)) {
      if (!isRecord(property)) continue;
      if ("x-mcp-header" in property) {
        const mistake = check(property["x-mcp-header"], property);
        if (mistake !== undefined) mistakes.push(mistake);
        found.push({ header: String(property["x-mcp-header"]), path: [...path, key] });
      }
      walk(property, [...path, key]);
    }
  };
  walk(schema, []);
  if (mistakes[0] !== undefined) return mistakes[0];
  if (new Set(found.map(({ header }) => header.toLowerCase())).size < found.length) return "header names must differ";
  if (annotations(schema) > found.length) return "is only allowed on plain, nested properties";
  return found;
}

/** Encodes text as a header value: plain if safe, else as `=?base64?…?=`. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Decodes a header value; undefined if it is missing or malformed. */
export function decodeHeader(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  if (header.startsWith("=?base64?") && header.endsWith("?=")) {
    const encoded = header.slice(9, -2);
    const bytes = Buffer.from(encoded, "base64");
    return bytes.toString("base64") === encoded ? bytes.toString() : undefined;
  }
  return /^[\t\x20-\x7e]*$/.test(header) ? header : undefined;
}

/** For each method, the parameter that the `Mcp-Name` header repeats. */
export const nameKeys: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

function check(header: unknown, property: Params): string | undefined {
  if (typeof header !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) return "must be a header name";
  if (["string", "integer", "boolean"].includes(String(property["type"]))) return undefined;
  return `${header}: only strings, integers and booleans can be repeated in a header`;
}

/** Counts the annotations anywhere in the schema. */
function annotations(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + annotations(item), 0);
  if (!isRecord(schema)) return 0;
  const own = "x-mcp-header" in schema && "type" in schema ? 1 : 0;
  return Object.values(schema).reduce<number>((sum, value) => sum + annotations(value), own);
}
