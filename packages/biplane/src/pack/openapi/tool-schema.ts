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
export function toolSchema(schema: JsonObject, options: ToolSchemaOptions): JsonObject {
  const converter = new SchemaConverter(options);
  const root = converter.convert(schema);
  const definitions = converter.definitions();
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions };
}

const maxNodes = 2000;
const maxDepth = 40;
const maxListLength = 500;
const maxTextLength = 500;

class SchemaConverter {
  readonly #options: ToolSchemaOptions;
  readonly #names = new Map<string, string>();
  readonly #waiting: string[] = [];
  #left = maxNodes;

  constructor(options: ToolSchemaOptions) {
    this.#options = options;
  }

  /** The schemas that were referred to, and those that they refer to. */
  definitions(): Record<string, JsonObject> {
    const found: [string, JsonObject][] = [];
    for (let reference = this.#waiting.shift(); reference !== undefined; reference = this.#waiting.shift())
      found.push([this.#names.get(reference) ?? "", this.convert(lookUpReference(this.#options.document, reference))]);
    return Object.fromEntries(found);
  }

  convert(schema: unknown, depth = 0): JsonObject {
    if (!isRecord(schema) || depth > maxDepth || this.#left-- <= 0) return {};
    const { $ref: reference } = schema;
    if (typeof reference === "string") return this.#refer(reference);
    const converted = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      const kept = this.#keyword(key, value, depth);
      return kept === undefined ? [] : [[key, kept]];
    });
    const plain = Object.fromEntries(converted);
    return this.#options.isVersion30 ? fromVersion30(plain, schema) : plain;
  }

  #keyword(key: string, value: unknown, depth: number): unknown {
    const inner = (each: unknown) => this.convert(each, depth + 1);
    switch (key) {
      case "items":
      case "not":
      case "contains":
      case "propertyNames":
      case "additionalProperties":
        return typeof value === "boolean" ? value : inner(value);
      case "properties":
        return isRecord(value) ? this.#properties(value, depth) : undefined;
      case "anyOf":
      case "oneOf":
      case "allOf":
      case "prefixItems":
        return Array.isArray(value) && value.length > 0 ? value.slice(0, maxListLength).map(inner) : undefined;
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
  #properties(properties: Readonly<Record<string, unknown>>, depth: number): Record<string, JsonObject> {
    const all = Object.entries(properties).slice(0, maxListLength);
    const writable = all.filter(([, each]) => !(isRecord(each) && each["readOnly"] === true));
    return Object.fromEntries(writable.map(([name, each]) => [name, this.convert(each, depth + 1)]));
  }

  #refer(reference: string): JsonObject {
    if (!isRecord(lookUpReference(this.#options.document, reference))) return {};
    let name = this.#names.get(reference);
    if (name === undefined) {
      const stem = (reference.split("/").at(-1) ?? "").replaceAll(/[^\w-]/g, "_").slice(0, 60) || "schema";
      const taken = new Set(this.#names.values());
      name = stem;
      for (let at = 2; taken.has(name); at++) name = `${stem}_${at}`;
      this.#names.set(reference, name);
      this.#waiting.push(reference);
    }
    return { $ref: `#/$defs/${name}` };
  }
}

const plainKeywords = new Set(
  "type const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties".split(
    " ",
  ),
);

/** Values without parts, and lists of types. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 10 && value.every((each) => typeof each === "string");
  return value === null || ["boolean", "number"].includes(typeof value) || isShortText(value);
}

function isShortText(value: unknown): boolean {
  return typeof value === "string" && value.length <= maxTextLength;
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
