import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";
import type { SchemaObject } from "./random-schema.ts";
import { isRecord } from "@biplane/core/internal";

/** Which properties and items were looked at; `undefined` means that the value does not fit. */
type Annotations = Set<string | number> | undefined;

/**
 * The 2020-12 specification read aloud: every keyword is tried, and annotations are gathered on the way. Slow, and
 * only for the schemas of `randomSchemas`; it is there to be compared with.
 */
export function fitsNaively(root: SchemaObject, value: unknown): boolean {
  return evaluate(root, value, root) !== undefined;
}

function evaluate(schema: JsonSchema, value: unknown, root: SchemaObject): Annotations {
  if (typeof schema === "boolean") return schema ? new Set() : undefined;
  const seen = new Set<string | number>();
  const take = (annotations: Annotations): boolean => {
    for (const key of annotations ?? []) seen.add(key);
    return annotations !== undefined;
  };
  const apply = (inner: unknown, part: unknown) => evaluate(inner as JsonSchema, part, root);
  const context: Context = { schema, value, root, seen, take, apply };
  const isFitting =
    scalarsFit(context) && arraysFit(context) && objectsFit(context) && combinationsFit(context) && restFits(context);
  return isFitting ? seen : undefined;
}

interface Context {
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly root: SchemaObject;
  readonly seen: Set<string | number>;
  take(this: void, annotations: Annotations): boolean;
  apply(this: void, inner: unknown, part: unknown): Annotations;
}

function scalarsFit({ schema, value }: Context): boolean {
  const types = [schema["type"] ?? typeOf(value)].flat();
  if (!types.includes(typeOf(value)) && !(types.includes("number") && typeOf(value) === "integer")) return false;
  if ("const" in schema && !equal(schema["const"], value)) return false;
  if ("enum" in schema && !(schema["enum"] as unknown[]).some((one) => equal(one, value))) return false;
  const holds = (keyword: string, test: (bound: number) => boolean) =>
    !(keyword in schema) || test(schema[keyword] as number);
  if (typeof value === "number") {
    return (
      holds("minimum", (bound) => value >= bound) &&
      holds("maximum", (bound) => value <= bound) &&
      holds("exclusiveMinimum", (bound) => value > bound) &&
      holds("exclusiveMaximum", (bound) => value < bound) &&
      holds("multipleOf", (bound) => value % bound === 0)
    );
  }
  if (typeof value !== "string") return true;
  const length = Array.from(value).length;
  if (!holds("minLength", (bound) => length >= bound) || !holds("maxLength", (bound) => length <= bound)) return false;
  return !("pattern" in schema) || new RegExp(schema["pattern"] as string, "u").test(value);
}

function arraysFit({ schema, value, seen, apply }: Context): boolean {
  if (!Array.isArray(value)) return true;
  const bound = (keyword: string, otherwise: number) => (schema[keyword] as number | undefined) ?? otherwise;
  if (value.length < bound("minItems", 0) || value.length > bound("maxItems", Infinity)) return false;
  if (schema["uniqueItems"] === true && value.some((one, at) => value.slice(0, at).some((two) => equal(one, two)))) {
    return false;
  }
  const prefix = (schema["prefixItems"] as JsonSchema[] | undefined) ?? [];
  for (const [index, item] of value.entries()) {
    const inner = prefix[index] ?? schema["items"];
    if (inner === undefined) continue;
    if (apply(inner, item) === undefined) return false;
    seen.add(index);
  }
  if (!("contains" in schema)) return true;
  const fitting = [...value.keys()].filter((index) => apply(schema["contains"], value[index]) !== undefined);
  for (const index of fitting) seen.add(index);
  return fitting.length >= bound("minContains", 1) && fitting.length <= bound("maxContains", Infinity);
}

function objectsFit({ schema, value, seen, take, apply }: Context): boolean {
  if (!isRecord(value)) return true;
  const keys = Object.keys(value);
  const maps = (keyword: string) => Object.entries((schema[keyword] ?? {}) as SchemaObject);
  if (keys.length < ((schema["minProperties"] as number) ?? 0)) return false;
  if (keys.length > ((schema["maxProperties"] as number) ?? Infinity)) return false;
  if (!((schema["required"] as string[]) ?? []).every((name) => keys.includes(name))) return false;
  for (const key of keys) {
    if ("propertyNames" in schema && apply(schema["propertyNames"], key) === undefined) return false;
    const named = maps("properties").filter(([name]) => name === key);
    const matched = maps("patternProperties").filter(([pattern]) => new RegExp(pattern, "u").test(key));
    const inner = [...named, ...matched].map(([, one]) => one);
    if (inner.length === 0 && "additionalProperties" in schema) inner.push(schema["additionalProperties"]);
    if (!inner.every((one) => apply(one, value[key]) !== undefined)) return false;
    if (inner.length > 0) seen.add(key);
  }
  const isMet = ([name, needed]: [string, unknown]) =>
    !keys.includes(name) || (needed as string[]).every((one) => keys.includes(one));
  const dependents = maps("dependentSchemas").filter(([name]) => keys.includes(name));
  return maps("dependentRequired").every(isMet) && dependents.every(([, inner]) => take(apply(inner, value)));
}

function combinationsFit({ schema, value, root, take, apply }: Context): boolean {
  const list = (keyword: string) => (schema[keyword] as unknown[] | undefined)?.map((inner) => apply(inner, value));
  const $defs = root["$defs"] as SchemaObject;
  const target = { "#": root, "#/$defs/a": $defs["a"], "#/$defs/b": $defs["b"] }[schema["$ref"] as string];
  if (target !== undefined && !take(apply(target, value))) return false;
  if (!(list("allOf") ?? []).every(take)) return false;
  const any = list("anyOf");
  if (any !== undefined && any.filter(take).length === 0) return false;
  const one = list("oneOf");
  if (one !== undefined && one.filter(take).length !== 1) return false;
  if ("not" in schema && apply(schema["not"], value) !== undefined) return false;
  if (!("if" in schema)) return true;
  const branch = take(apply(schema["if"], value)) ? "then" : "else";
  return !(branch in schema) || take(apply(schema[branch], value));
}

function restFits({ schema, value, seen, apply }: Context): boolean {
  const keyword = Array.isArray(value) ? "unevaluatedItems" : "unevaluatedProperties";
  if (!(keyword in schema) || typeof value !== "object" || value === null) return true;
  for (const [name, part] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (seen.has(key)) continue;
    if (apply(schema[keyword], part) === undefined) return false;
    seen.add(key);
  }
  return true;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function equal(one: unknown, two: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(two)) {
    return one.length === two.length && one.every((item, index) => equal(item, two[index]));
  }
  if (!isRecord(one) || !isRecord(two)) return one === two;
  const keys = Object.keys(one);
  return keys.length === Object.keys(two).length && keys.every((key) => key in two && equal(one[key], two[key]));
}
