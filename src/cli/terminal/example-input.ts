import { isObject } from "../../protocol/rpc.ts";
import type { JsonObject } from "../../tool/schema.ts";

/** Arguments that a tool might be called with, to be copied and changed: what it needs, and nothing else. */
export function exampleInput(schema: JsonObject): Record<string, unknown> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(Object.hasOwn(properties, name) ? properties[name] : undefined, 0)]),
  );
}

function exampleOf(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > 4) return "…";
  const { default: usual, examples, enum: choices, const: only, description } = schema;
  if (usual !== undefined) return usual;
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
