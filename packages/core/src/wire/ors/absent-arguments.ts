import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";

/** Drops the arguments that are null for "not given". TRL sends one for every optional argument without a default. */
export function withoutAbsent(input: unknown, schema: JsonObject | undefined): unknown {
  const properties = schema?.["properties"];
  if (!isRecord(input) || !isRecord(properties)) return input;
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const isAbsent = (key: string) => !required.includes(key) && isRecord(properties[key]) && !takesNull(properties[key]);
  const entries = Object.entries(input);
  return entries.every(([, value]) => value !== null)
    ? input
    : Object.fromEntries(entries.filter(([key, value]) => value !== null || !isAbsent(key)));
}

function takesNull(schema: JsonObject): boolean {
  const { type, const: only, enum: values, anyOf, oneOf } = schema;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return choices.some((choice) => isRecord(choice) && takesNull(choice));
  if (Array.isArray(values)) return values.includes(null);
  if ("const" in schema) return only === null;
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}
