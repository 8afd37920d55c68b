import { isRecord } from "@biplane/core/internal";
import type { Params } from "@biplane/core/internal";
import { lookUpReference } from "../../pack/openapi/references.ts";

/** A schema as a TypeScript type, and the types that it refers to by name. */
export interface WrittenType {
  readonly type: string;
  readonly definitions: readonly { readonly name: string; readonly type: string }[];
}

/**
 * Writes the TypeScript type of a JSON Schema. The schema may be hostile: the work is bounded, what is beyond the bound
 * is `unknown`, and nothing of it is written but quoted texts, numbers and names that were checked.
 */
export function typeOfSchema(schema: unknown, { prefix }: { readonly prefix: string }): WrittenType {
  const writer = new TypeWriter(schema, prefix);
  const type = writer.typeOf(schema, 0);
  return { type, definitions: writer.definitions() };
}

const maxNodes = 3000;
const maxDepth = 30;

class TypeWriter {
  readonly #root: unknown;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #waiting: string[] = [];
  #left = maxNodes;

  constructor(root: unknown, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  definitions(): { name: string; type: string }[] {
    const written: { name: string; type: string }[] = [];
    for (let reference = this.#waiting.shift(); reference !== undefined; reference = this.#waiting.shift())
      written.push({ name: this.#names.get(reference) ?? "", type: this.typeOf(this.#lookUp(reference), 0) });
    return written;
  }

  typeOf(schema: unknown, depth: number): string {
    if (schema === false) return "never";
    if (!isRecord(schema) || depth > maxDepth || this.#left-- <= 0) return "unknown";
    if (typeof schema["$ref"] === "string") return this.#refer(schema["$ref"]);
    const { const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
    const inner = (each: unknown) => this.typeOf(each, depth + 1);
    if (constant !== undefined) return literal(constant);
    if (Array.isArray(values)) return union(values.slice(0, 200).map(literal));
    const choices = anyOf ?? oneOf;
    const parts: string[] = [];
    if (Array.isArray(choices)) parts.push(union(choices.slice(0, 100).map(inner)));
    if (Array.isArray(allOf)) parts.push(...allOf.slice(0, 100).map(inner));
    if (type !== undefined || isRecord(schema["properties"]))
      parts.push(
        union((Array.isArray(type) ? type : [type ?? "object"]).map((each) => this.#plain(each, schema, depth))),
      );
    const known = parts.filter((each) => each !== "unknown");
    if (known.length <= 1) return known[0] ?? "unknown";
    return known.map((each) => (each.includes(" | ") ? `(${each})` : each)).join(" & ");
  }

  #plain(type: unknown, schema: Params, depth: number): string {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return type;
      case "number":
      case "integer":
        return "number";
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      default:
        return "unknown";
    }
  }

  #array({ items, prefixItems }: Params, depth: number): string {
    if (Array.isArray(prefixItems)) {
      const first = prefixItems.slice(0, 100).map((each) => this.typeOf(each, depth + 1));
      const rest = items === false ? [] : [`...${parenthesized(this.typeOf(items, depth + 1))}[]`];
      return `[${[...first, ...rest].join(", ")}]`;
    }
    return `${parenthesized(this.typeOf(items, depth + 1))}[]`;
  }

  #object({ properties, required, additionalProperties }: Params, depth: number): string {
    const needed = new Set(Array.isArray(required) ? required : []);
    const all = Object.entries(isRecord(properties) ? properties : {}).slice(0, 500);
    const indent = "  ".repeat(depth + 1);
    const members = all.map(([name, each]) => {
      const about = comment(isRecord(each) ? each["description"] : undefined, indent);
      return `${about}${indent}${JSON.stringify(name)}${needed.has(name) ? "" : "?"}: ${this.typeOf(each, depth + 1)};\n`;
    });
    const isOpen = additionalProperties !== false && all.length === 0;
    const others = isRecord(additionalProperties) ? this.typeOf(additionalProperties, depth + 1) : "unknown";
    if (isOpen) return `Record<string, ${others}>`;
    return members.length === 0 ? "Record<string, never>" : `{\n${members.join("")}${"  ".repeat(depth)}}`;
  }

  #refer(reference: string): string {
    if (this.#lookUp(reference) === undefined) return "unknown";
    let name = this.#names.get(reference);
    if (name === undefined) {
      const stem = this.#prefix + typeName(reference.split("/").at(-1) ?? "");
      const taken = new Set(this.#names.values());
      name = stem;
      for (let at = 2; taken.has(name); at++) name = `${stem}${at}`;
      this.#names.set(reference, name);
      this.#waiting.push(reference);
    }
    return name;
  }

  /** Follows `#/$defs/Name` and `#`. */
  #lookUp(reference: string): unknown {
    return reference === "#" ? this.#root : lookUpReference(this.#root, reference);
  }
}

/** `get_order` becomes `GetOrder`. */
export function typeName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((each) => each !== "");
  const name = words.map((each) => (each[0] ?? "").toUpperCase() + each.slice(1)).join("");
  return /^[A-Z]/.test(name) ? name.slice(0, 60) : `T${name.slice(0, 60)}`;
}

/** A comment for documentation. Nothing in the text can end it. */
export function comment(text: unknown, indent: string): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const line = text
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .replaceAll("*/", "* /")
    .trim()
    .slice(0, 300);
  return `${indent}/** ${line} */\n`;
}

function literal(value: unknown): string {
  if (typeof value === "string" && value.length <= 500) return JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  return typeof value === "number" && Number.isFinite(value) ? String(value) : "unknown";
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  if (all.length === 0 || all.includes("unknown")) return "unknown";
  return all.map((each) => (each.includes(" & ") ? `(${each})` : each)).join(" | ");
}

function parenthesized(type: string): string {
  return /[|&]/.test(type) && !type.startsWith("{") ? `(${type})` : type;
}
