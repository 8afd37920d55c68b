import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";
import { returnSchemaOf } from "../returns.ts";

/** A tool as TypeScript writes it: `read_text_file(path: string, { head?: number }): Promise<string>`. */
export function javascriptSignature(tool: Tool): string {
  const parameters = parametersOf(tool);
  const alias = aliasOf(tool.name);
  const callee = alias === tool.name ? alias : `tools[${JSON.stringify(tool.name)}]`;
  const fields = parameters.map(({ name, schema, isRequired }) => {
    return `${propertyName(name)}${isRequired ? "" : "?"}: ${typeOf(schema, 0)}`;
  });
  const input = fields.length === 0 ? "" : `{ ${fields.join(", ")} }`;
  const output = typeOf(returnSchemaOf(tool), 0);
  const purpose = (tool.description ?? tool.title ?? "").split("\n")[0]?.slice(0, 200);
  return `${callee}(${input}): Promise<${output}>${purpose ? ` // ${purpose}` : ""}`;
}

/** A short TypeScript type for a JSON Schema. */
function typeOf(schema: unknown, depth: number): string {
  if (typeof schema !== "object" || schema === null || depth > 3) return "any";
  const { type, enum: values, const: constant, anyOf, oneOf, items, properties, required } = schema as Schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return union(values.slice(0, 20).map((value) => JSON.stringify(value)));
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union(choices.map((choice) => typeOf(choice, depth + 1)));
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, depth + 1)));
  switch (type) {
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    case "array":
      return `${bracketed(typeOf(items, depth + 1))}[]`;
    case "object":
      return objectType(properties, Array.isArray(required) ? required : [], depth);
    default:
      return "any";
  }
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
}

function objectType(properties: unknown, required: readonly unknown[], depth: number): string {
  if (typeof properties !== "object" || properties === null) return "object";
  const fields = Object.entries(properties).map(([name, schema]) => {
    return `${propertyName(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)}`;
  });
  return fields.length === 0 ? "object" : `{ ${fields.join(", ")} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ") || "any";
}

function bracketed(type: string): string {
  return type.includes(" | ") ? `(${type})` : type;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
