import type { JsonObject } from "./schema.ts";

/**
 * The same schema with every plain object closed: where the author said nothing about other keys, there are none.
 * Objects put together from parts (`allOf`, `$ref` …) are left alone, because each part sees only its own keys.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = { ...schema };
  if (isRecord(schema["properties"])) closed["properties"] = mapValues(schema["properties"], closeNested);
  if (isRecord(schema["items"])) closed["items"] = closeNested(schema["items"]);
  if (schema["type"] === "object" && !opening.some((keyword) => Object.hasOwn(schema, keyword))) {
    closed["additionalProperties"] = false;
  }
  return closed;
}

/** Only what a schema says about which keys may be there, for checkers that would drop unknown keys in silence. */
export function keysOnly(schema: JsonObject): JsonObject {
  const keys: Record<string, unknown> = {};
  if (isRecord(schema["properties"])) {
    keys["properties"] = mapValues(schema["properties"], (value) => (isRecord(value) ? keysOnly(value) : true));
  }
  if (isRecord(schema["items"])) keys["items"] = keysOnly(schema["items"]);
  if (schema["additionalProperties"] === false) keys["additionalProperties"] = false;
  return keys;
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

function closeNested(schema: unknown): unknown {
  return isRecord(schema) && isRecord(schema["properties"]) ? closeObjects(schema) : closeItems(schema);
}

/** An object without declared properties means "any object" below the root; only its array items are looked into. */
function closeItems(schema: unknown): unknown {
  return isRecord(schema) && isRecord(schema["items"]) ? { ...schema, items: closeNested(schema["items"]) } : schema;
}

function mapValues(record: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
