import { isObject } from "./rpc.ts";
import type { Params } from "./rpc.ts";

/** An argument that the modern era repeats in a header, as its schema's `x-mcp-header` says. */
export interface HeaderParameter {
  readonly header: string;
  readonly path: readonly string[];
}

/** The header parameters in a tool's input schema, or why an annotation there is none that the specification allows. */
export function findHeaderParameters(schema: Params): readonly HeaderParameter[] | string {
  const found: HeaderParameter[] = [];
  const mistakes: string[] = [];
  const walk = (at: Params, path: readonly string[]) => {
    const properties = isObject(at["properties"]) ? at["properties"] : {};
    for (const [key, property] of Object.entries(properties)) {
      if (!isObject(property)) continue;
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
  if (new Set(found.map(({ header }) => header.toLowerCase())).size < found.length) return "names must differ";
  if (annotations(schema) > found.length) return "is only allowed on plain, nested properties";
  return found;
}

/** Text as a header value: as it is where that is safe, else in the form that says it is base64. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** A header value as the text it stands for; undefined where it is missing or not well formed. */
export function decodeHeader(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  if (header.startsWith("=?base64?") && header.endsWith("?=")) {
    const encoded = header.slice(9, -2);
    const bytes = Buffer.from(encoded, "base64");
    return bytes.toString("base64") === encoded ? bytes.toString() : undefined;
  }
  return /^[\t\x20-\x7e]*$/.test(header) ? header : undefined;
}

/** The parameter of each method that the `Mcp-Name` header repeats. */
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

/** How many annotations there are anywhere in the schema. */
function annotations(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + annotations(item), 0);
  if (!isObject(schema)) return 0;
  const own = "x-mcp-header" in schema && "type" in schema ? 1 : 0;
  return Object.values(schema).reduce<number>((sum, value) => sum + annotations(value), own);
}
