import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";

/** The part of JSON Schema that a form supports. The server checks the rest. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
}

/** Schemas are untrusted, so any part may have the wrong type. */
export function schemaOf(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

/** Follows `#/$defs/…` and merges `allOf`. Unresolvable and circular references accept any value. */
export function resolved(schema: Schema, root: JsonObject, depth = 0): Schema {
  if (depth > 20) return {};
  if (typeof schema.$ref === "string") {
    const { $ref, ...beside } = schema;
    return { ...resolved(schemaOf(pointed(root, $ref)), root, depth + 1), ...beside };
  }
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  return (allOf as readonly unknown[])
    .map((part) => resolved(schemaOf(part), root, depth + 1))
    .reduce(
      (all, part) => ({
        ...all,
        ...part,
        properties: { ...all.properties, ...part.properties },
        required: [...(all.required ?? []), ...(part.required ?? [])],
      }),
      own,
    );
}

function pointed(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith("#")) return {};
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : {};
  }
  return at;
}

export type Kind = "string" | "number" | "boolean" | "null" | "enum" | "const" | "array" | "object" | "choice" | "any";

/** The kind of control for a schema. */
export function kindOf(schema: Schema): Kind {
  if (Object.hasOwn(schema, "const")) return "const";
  if (Array.isArray(schema.enum)) return "enum";
  if (branchesOf(schema)) return "choice";
  const type = schema.type ?? (schema.properties ? "object" : schema.items ? "array" : undefined);
  if (type === "integer" || type === "number") return "number";
  return kinds.find((kind) => kind === type) ?? "any";
}

const kinds: readonly Kind[] = ["string", "boolean", "null", "array", "object"];

/** The alternatives of `oneOf`, `anyOf` or a list of types. */
export function branchesOf(schema: Schema): readonly Schema[] | undefined {
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches) && branches.length > 0) {
    const { oneOf: _, anyOf: __, ...own } = schema;
    return branches.map((branch) => ({ ...own, ...schemaOf(branch) }));
  }
  return Array.isArray(schema.type) ? schema.type.map((type: string) => ({ ...schema, type })) : undefined;
}

/** The initial value of a field: its default, or the emptiest value if it is required. */
export function initial(given: Schema, root: JsonObject, isRequired = true): unknown {
  const schema = resolved(given, root);
  if (schema.default !== undefined) return schema.default;
  if (!isRequired) return undefined;
  switch (kindOf(schema)) {
    case "const":
      return schema.const;
    case "enum":
      return schema.enum?.[0];
    case "string":
      return "";
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return [];
    case "object":
      return initialObject(schema, root);
    case "choice":
      return initial(branchesOf(schema)?.[0] ?? {}, root);
    default:
      return undefined;
  }
}

function initialObject(schema: Schema, root: JsonObject): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const value = initial(schemaOf(property), root, isRequiredIn(schema, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

export function isRequiredIn(schema: Schema, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

/** The label of an alternative. */
export function titleOf(schema: Schema, at: number): string {
  if (schema.title !== undefined) return schema.title;
  if (Object.hasOwn(schema, "const")) return String(schema.const);
  const fixed = Object.entries(schema.properties ?? {}).find(([, property]) =>
    Object.hasOwn(schemaOf(property), "const"),
  );
  if (fixed) return String(fixed[1].const);
  return typeof schema.type === "string" ? schema.type : `option ${at + 1}`;
}
