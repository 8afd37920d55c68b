import type { JsonObject } from "@biplane/core/internal";
import { isRecord } from "@biplane/core/internal";

/** Example arguments for a tool: only the required ones. */
export function exampleInput(schema: JsonObject): Record<string, unknown> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(Object.hasOwn(properties, name) ? properties[name] : undefined, 0)]),
  );
}

function exampleOf(schema: unknown, depth: number): unknown {
  if (!isRecord(schema) || depth > 4) return "…";
  const { default: fallback, examples, enum: choices, const: only, description } = schema;
  if (fallback !== undefined) return fallback;
  if (only !== undefined) return only;
  for (const list of [examples, choices]) if (Array.isArray(list) && list.length > 0) return list[0] as unknown;
  const [, suggested] = /\bsuch as ([\w@./:-]*\w)/i.exec(typeof description === "string" ? description : "") ?? [];
  switch (Array.isArray(schema["type"]) ? (schema["type"][0] as unknown) : schema["type"]) {
    case "integer":
    case "number":
      return Math.max(1, Number(schema["minimum"] ?? 1));
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Number(schema["minItems"] ?? 0) > 0 ? [exampleOf(schema["items"], depth + 1)] : [];
    case "object":
      return exampleInput(schema);
    default:
      return suggested ?? "…";
  }
}
