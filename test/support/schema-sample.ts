import type { JsonObject } from "../../packages/core/src/tool/schema.ts";

/** A value that fits a schema of the admin API, with every member. */
export function sampleOf(schema: JsonObject): unknown {
  const { type, enum: values, const: only, anyOf, oneOf, items, properties, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  const [first] = ((anyOf ?? oneOf) as JsonObject[] | undefined) ?? [];
  if (first) return sampleOf(first);
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries((properties as Record<string, JsonObject> | undefined) ?? { a: {} }).map(([name, member]) => [
          name,
          sampleOf(member),
        ]),
      );
    case "array":
      return [sampleOf((items as JsonObject | undefined) ?? {})];
    case "integer":
    case "number":
      return minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "a";
  }
}
