import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "./schema.ts";

/**
 * Adds `type` beside each `enum` that has none. It changes nothing about the values, but clients that look only at `type`
 * take such a property for a string.
 */
export function typeEnums(schema: JsonObject): JsonObject {
  const typed = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]));
  const { enum: values } = schema;
  if (!Array.isArray(values) || values.length === 0 || schema["type"] !== undefined) return typed;
  return { type: typeOf(values), ...typed };
}

/** A keyword's value, with the schemas in it changed. Data such as `default` and `examples` stays as it is. */
function within(keyword: string, value: unknown): unknown {
  if (maps.has(keyword) && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaIn(each)]));
  if (lists.has(keyword) && Array.isArray(value)) return value.map(schemaIn);
  return singles.has(keyword) ? schemaIn(value) : value;
}

function schemaIn(value: unknown): unknown {
  return isRecord(value) ? typeEnums(value) : value;
}

const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const singles = new Set(["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"]);

function typeOf(values: readonly unknown[]): string | string[] {
  const found = [...new Set(values.map(jsonType))];
  const types = found.includes("number") ? found.filter((type) => type !== "integer") : found;
  return types.length === 1 ? (types[0] as string) : types;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
