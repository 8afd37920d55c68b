import type { JsonObject } from "./schema.ts";
import { isRecord } from "../is-record.ts";

/**
 * Adds `additionalProperties: false` to every plain object schema that does not mention other keys. Combined schemas
 * (`allOf`, `if` …) stay open, because each part sees only its own keys.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  const closed = closeParts(schema);
  const hasKeys = schema["type"] === "object" && !opening.some((keyword) => Object.hasOwn(schema, keyword));
  return hasKeys ? { ...closed, additionalProperties: false } : closed;
}

/**
 * Keeps only the rules about allowed keys, for validators that silently drop unknown keys. Unions are kept whole, because
 * the allowed keys depend on the matching branch.
 */
export function keysOnly(schema: JsonObject): JsonObject {
  const keys: Record<string, unknown> = {};
  const only = (value: unknown) => (isRecord(value) ? keysOnly(value) : value === false ? true : value);
  for (const keyword of maps) if (isRecord(schema[keyword])) keys[keyword] = mapValues(schema[keyword], only);
  for (const keyword of singles) if (isRecord(schema[keyword])) keys[keyword] = only(schema[keyword]);
  if (Array.isArray(schema["prefixItems"])) keys["prefixItems"] = schema["prefixItems"].map(only);
  const choice = schema["anyOf"] ?? schema["oneOf"];
  if (choice !== undefined) keys["anyOf"] = choice;
  if (typeof schema["$ref"] === "string") keys["$ref"] = schema["$ref"];
  if (schema["additionalProperties"] === false) keys["additionalProperties"] = false;
  return keys;
}

const maps = ["properties", "$defs"];
const singles = ["items", "additionalProperties"];
const lists = ["anyOf", "oneOf", "prefixItems"];

function closeParts(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = { ...schema };
  for (const keyword of maps) if (isRecord(schema[keyword])) closed[keyword] = mapValues(schema[keyword], closeNested);
  for (const keyword of singles) if (isRecord(schema[keyword])) closed[keyword] = closeNested(schema[keyword]);
  for (const keyword of lists) {
    const parts = schema[keyword];
    // With own properties, the branches do not see all keys.
    const isWhole = keyword === "prefixItems" || !Object.hasOwn(schema, "properties");
    if (Array.isArray(parts) && isWhole) closed[keyword] = parts.map(closeNested);
  }
  return closed;
}

const opening = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
  "dependentSchemas",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "$ref",
  "$dynamicRef",
];

/** Below the root, an object without declared properties means "any object". */
function closeNested(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  return isRecord(schema["properties"]) ? closeObjects(schema) : closeParts(schema);
}

function mapValues(record: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
