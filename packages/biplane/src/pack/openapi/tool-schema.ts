import { isRecord } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import { lookUpReference } from "./references.ts";

export interface ToolSchemaOptions {
  readonly document: Readonly<Record<string, unknown>>;
  /** OpenAPI 3.0 writes null and exclusive limits differently from JSON Schema. */
  readonly isVersion30: boolean;
}

/**
 * Turns schemas of a document into one that needs nothing else: what they refer to is copied to `$defs`. The work for
 * one tool is bounded. What is beyond the bound, or refers to other documents, accepts any value. Patterns are left
 * out: matching a hostile one can take forever.
 */
export function toolSchema(schema: JsonObject, { document, isVersion30 }: ToolSchemaOptions): JsonObject {
  /** The names of the schemas that are referred to. */
  const names = new Map<string, string>();
  let left = maxNodes;
  const convert = (value: unknown, depth = 0): JsonObject => {
    if (!isRecord(value) || depth > maxDepth || left-- <= 0) return {};
    const { $ref: reference } = value;
    if (typeof reference === "string") return refer(reference);
    const converted = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
      const kept = convertKeyword(key, part, (inner) => convert(inner, depth + 1));
      return kept === undefined ? [] : [[key, kept]];
    });
    const plain = Object.fromEntries(converted);
    return isVersion30 ? fromVersion30(plain, value) : plain;
  };
  const refer = (reference: string): JsonObject => {
    if (!isRecord(lookUpReference(document, reference))) return {};
    let name = names.get(reference);
    if (name === undefined) {
      const stem = (reference.split("/").at(-1) ?? "").replaceAll(/[^\w-]/g, "_").slice(0, 60) || "schema";
      const taken = new Set(names.values());
      name = stem;
      for (let at = 2; taken.has(name); at++) name = `${stem}_${at}`;
      names.set(reference, name);
    }
    return { $ref: `#/$defs/${name}` };
  };
  const root = convert(schema);
  const definitions: [string, JsonObject][] = [];
  // This also visits what is added meanwhile.
  for (const [reference, name] of names) definitions.push([name, convert(lookUpReference(document, reference))]);
  return definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) };
}

const maxNodes = 2000;
const maxDepth = 40;
const maxListLength = 500;
const maxTextLength = 500;

function convertKeyword(key: string, value: unknown, convert: (inner: unknown) => JsonObject): unknown {
  switch (key) {
    case "items":
    case "not":
    case "contains":
    case "propertyNames":
    case "additionalProperties":
      return typeof value === "boolean" ? value : convert(value);
    case "properties":
      return isRecord(value) ? convertProperties(value, convert) : undefined;
    case "anyOf":
    case "oneOf":
    case "allOf":
    case "prefixItems":
      return Array.isArray(value) && value.length > 0 ? value.slice(0, maxListLength).map(convert) : undefined;
    case "title":
    case "description":
    case "format":
      return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
    case "enum":
      return Array.isArray(value) && value.length <= maxListLength && value.every(isPlain) ? value : undefined;
    case "required":
      return Array.isArray(value)
        ? value.filter((each) => typeof each === "string").slice(0, maxListLength)
        : undefined;
    default:
      return plainKeywords.has(key) && isPlain(value) ? value : undefined;
  }
}

/** What only the server may set is left out. */
function convertProperties(
  properties: JsonObject,
  convert: (inner: unknown) => JsonObject,
): Record<string, JsonObject> {
  const all = Object.entries(properties).slice(0, maxListLength);
  const writable = all.filter(([, each]) => !(isRecord(each) && each["readOnly"] === true));
  return Object.fromEntries(writable.map(([name, each]) => [name, convert(each)]));
}

const plainKeywords = new Set(
  "type const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties".split(
    " ",
  ),
);

/** Values without parts, and lists of types. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 10 && value.every((each) => typeof each === "string");
  if (typeof value === "string") return value.length <= maxTextLength;
  return value === null || ["boolean", "number"].includes(typeof value);
}

function fromVersion30(schema: JsonObject, written: Readonly<Record<string, unknown>>): JsonObject {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema as Record<string, unknown>;
  const limits = {
    ...exclusive("minimum", exclusiveMinimum, rest),
    ...exclusive("maximum", exclusiveMaximum, rest),
  };
  const isNullable = written["nullable"] === true && typeof rest["type"] === "string";
  const values = Array.isArray(rest["enum"]) && isNullable ? { enum: [...new Set([...rest["enum"], null])] } : {};
  return { ...without(rest, limits), ...limits, ...values, ...(isNullable && { type: [rest["type"], "null"] }) };
}

/** `minimum: 1, exclusiveMinimum: true` becomes `exclusiveMinimum: 1`. */
function exclusive(key: "minimum" | "maximum", given: unknown, schema: JsonObject): JsonObject {
  const name = key === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  if (typeof given === "number") return { [name]: given };
  return given === true && typeof schema[key] === "number" ? { [name]: schema[key] } : {};
}

function without(schema: Readonly<Record<string, unknown>>, limits: JsonObject): JsonObject {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && !("exclusiveMinimum" in limits) && { minimum }),
    ...(maximum !== undefined && !("exclusiveMaximum" in limits) && { maximum }),
  };
}
