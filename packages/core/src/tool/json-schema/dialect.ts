import { schemaError, showJson } from "./fault.ts";
import { presentKeys } from "./json-values.ts";
import type { JsonObject, JsonSchema } from "./schema.ts";
import { isRecord } from "../../is-record.ts";

export type SchemaDialect = "2020-12" | "2019-09" | "draft-07";

/** The dialect named by `$schema`, if present. */
export function readDialect(schema: JsonObject, path: string): SchemaDialect | undefined {
  const uri = schema["$schema"];
  if (uri === undefined) return undefined;
  const dialect = typeof uri === "string" ? dialects.get(uri.replace(/#$/, "").replace(/^https?:/, "")) : undefined;
  if (dialect !== undefined) return dialect;
  throw schemaError(path, `"$schema" names ${showJson(uri)}; supported are JSON Schema 2020-12, 2019-09 and draft-07`);
}

const dialects = new Map<string, SchemaDialect>([
  ["//json-schema.org/draft/2020-12/schema", "2020-12"],
  ["//json-schema.org/draft/2019-09/schema", "2019-09"],
  ["//json-schema.org/draft-07/schema", "draft-07"],
]);

/** The keywords that apply in this dialect, translated to 2020-12 names. */
export function readKeywords(schema: JsonSchema, dialect: SchemaDialect): JsonObject {
  if (typeof schema === "boolean") return {};
  if (dialect === "2020-12") return schema;
  if (dialect === "2019-09") return { ...schema, $dynamicRef: schema["$recursiveRef"] };
  return readDraft07(schema);
}

const notInDraft07 = new Set([
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "contentSchema",
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Draft-07 ignores everything next to `$ref`, except that references may point into these. */
const keptBesideRef = new Set(["$ref", "$defs", "definitions"]);

function readDraft07(schema: JsonObject): JsonObject {
  const isReference = typeof schema["$ref"] === "string";
  const isKept = (key: string) => (isReference ? keptBesideRef.has(key) : !notInDraft07.has(key));
  const keywords = Object.fromEntries(Object.entries(schema).filter(([key]) => isKept(key)));
  const { dependencies } = keywords;
  if (isRecord(dependencies)) keywords["dependentRequired"] = pickEntries(dependencies, Array.isArray);
  return keywords;
}

function pickEntries(object: JsonObject, wanted: (value: unknown) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => wanted(value)));
}

/** The subschemas of a keyword: one schema, a list, or an object of schemas. */
export interface SchemaSlot {
  /** The 2020-12 name: draft-07's array `items` becomes `prefixItems`. */
  readonly keyword: string;
  /** `name` is missing if the keyword holds a single schema. */
  readonly members: readonly { readonly name?: string; readonly schema: unknown }[];
}

/** The subschemas in `keyword`, or `undefined` if it holds none. */
export function readSlot(
  keywords: JsonObject,
  keyword: string,
  at: { path: string; dialect: SchemaDialect },
): SchemaSlot | undefined {
  const value = keywords[keyword];
  const path = `${at.path}/${keyword}`;
  if (at.dialect !== "2020-12" && (keyword === "items" || keyword === "additionalItems")) {
    return readOlderItems(keywords, keyword, path);
  }
  if (at.dialect === "draft-07" && keyword === "dependencies") return readDependencies(value, path);
  switch (shapes.get(keyword)) {
    case "one":
      return readOne(keyword, value, path);
    case "list":
      return readList(keyword, value, path);
    case "map":
      return readMap(keyword, value, path);
    default:
      return undefined;
  }
}

const shapes = new Map<string, "one" | "list" | "map">([
  ["additionalProperties", "one"],
  ["contains", "one"],
  ["contentSchema", "one"],
  ["else", "one"],
  ["if", "one"],
  ["items", "one"],
  ["not", "one"],
  ["propertyNames", "one"],
  ["then", "one"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependentSchemas", "map"],
  ["patternProperties", "map"],
  ["properties", "map"],
]);

/** Before 2020-12, `items` may be a tuple; only then does `additionalItems` apply. */
function readOlderItems(keywords: JsonObject, keyword: string, path: string): SchemaSlot | undefined {
  const value = keywords[keyword];
  const isTuple = Array.isArray(keywords["items"]);
  if (keyword === "additionalItems") return readOne(isTuple ? "items" : keyword, value, path);
  if (!isTuple) return readOne(keyword, value, path);
  return Array.isArray(value) && value.length === 0 ? undefined : readList("prefixItems", value, path);
}

/** Name arrays in `dependencies` are read as `dependentRequired`. */
function readDependencies(value: unknown, path: string): SchemaSlot {
  const { members } = readMap("dependentSchemas", value, path);
  return { keyword: "dependentSchemas", members: members.filter(({ schema }) => !Array.isArray(schema)) };
}

function readOne(keyword: string, value: unknown, path: string): SchemaSlot {
  if (keyword === "items" && Array.isArray(value)) {
    throw schemaError(path, 'it must be one schema; a list of schemas goes in "prefixItems"');
  }
  return { keyword, members: [{ schema: value }] };
}

function readList(keyword: string, value: unknown, path: string): SchemaSlot {
  if (!Array.isArray(value) || value.length === 0) throw schemaError(path, "it must be a non-empty array of schemas");
  return { keyword, members: value.map((schema, index) => ({ name: String(index), schema })) };
}

function readMap(keyword: string, value: unknown, path: string): SchemaSlot {
  if (!isRecord(value)) throw schemaError(path, "it must be an object of schemas");
  return { keyword, members: presentKeys(value).map((name) => ({ name, schema: value[name] })) };
}
