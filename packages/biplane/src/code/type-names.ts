import type { Tool } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";

/** How a language writes the types of values. */
export interface TypeSyntax {
  readonly any: string;
  /** The types without parts, by their name in JSON Schema. */
  readonly simple: Readonly<Record<string, string>>;
  /** The type of certain values only. */
  literals(values: readonly unknown[]): string;
  array(items: string | undefined): string;
  object(schema: JsonObject, typeOf: (schema: unknown) => string): string;
}

/** A short type for a JSON Schema. */
export function typeExpression(schema: unknown, syntax: TypeSyntax, depth = 0): string {
  if (!isRecord(schema) || depth > 3) return syntax.any;
  const { type, enum: values, const: constant, items, anyOf, oneOf } = schema;
  const inner = (part: unknown): string => typeExpression(part, syntax, depth + 1);
  const union = (types: readonly unknown[]): string => [...new Set(types.map(inner))].join(" | ") || syntax.any;
  if (constant !== undefined) return syntax.literals([constant]);
  if (Array.isArray(values)) return syntax.literals(values.slice(0, 20));
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union(choices);
  if (Array.isArray(type)) return union(type.map((each) => ({ ...schema, type: each })));
  if (type === "array") return syntax.array(items === undefined ? undefined : inner(items));
  if (type === "object") return syntax.object(schema, inner);
  return typeof type === "string" && Object.hasOwn(syntax.simple, type) ? (syntax.simple[type] ?? "") : syntax.any;
}

/** The first line of a tool's description, as a comment after its signature. */
export function purposeComment({ description, title }: Tool, mark: string): string {
  const purpose = (description ?? title ?? "").split("\n")[0]?.slice(0, 200);
  return purpose ? `${mark} ${purpose}` : "";
}
