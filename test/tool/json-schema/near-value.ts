import type { SchemaObject } from "./random-schema.ts";

const names = ["a", "b", "ab", "c"];
const scalars = [null, true, false, 0, 1, 2, 3, 4, 6, 1.5, "", "a", "ab", "abc", "💩", "b"];

/** A value that follows a random path through the schema, and strays from it now and then. */
export function nearValue(root: SchemaObject, seed: number): unknown {
  const random = createRandom(seed);
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const chance = (share: number) => random() < share;

  const valueFor = (schema: unknown, depth: number): unknown => {
    if (!isSchemaObject(schema) || depth > 6 || chance(0.08)) return anyValue(depth);
    if ("const" in schema && chance(0.8)) return schema["const"];
    if (Array.isArray(schema["enum"]) && chance(0.8)) return pick(schema["enum"]);
    const elsewhere = inPlaceSchemas(schema, root);
    if (elsewhere.length > 0 && chance(0.5)) return valueFor(pick(elsewhere), depth + 1);
    const { type } = schema;
    return valueOfType(pick(Array.isArray(type) ? type : [type ?? guessType(schema)]), schema, depth);
  };

  const valueOfType = (type: unknown, schema: SchemaObject, depth: number): unknown => {
    if (type === "object") return objectFor(schema, depth);
    if (type === "array") return arrayFor(schema, depth);
    if (type === "string") return pick(scalars.filter((value) => typeof value === "string"));
    if (type === "number" || type === "integer") return pick(scalars.filter((value) => typeof value === "number"));
    return anyValue(depth);
  };

  const objectFor = (schema: SchemaObject, depth: number): SchemaObject => {
    const properties = isSchemaObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
    const rest = schema["additionalProperties"] ?? schema["unevaluatedProperties"];
    const result: SchemaObject = {};
    for (const name of names) {
      const isLikely = required.includes(name) || name in properties;
      if (chance(isLikely ? 0.8 : 0.25)) result[name] = valueFor(properties[name] ?? rest, depth + 1);
    }
    return result;
  };

  const arrayFor = (schema: SchemaObject, depth: number): unknown[] => {
    const prefix = Array.isArray(schema["prefixItems"]) ? (schema["prefixItems"] as unknown[]) : [];
    const rest = [schema["items"], schema["contains"], schema["unevaluatedItems"]].filter((one) => one !== undefined);
    const length = Math.floor(random() * 4);
    return Array.from({ length }, (_, index) => valueFor(prefix[index] ?? pick(rest), depth + 1));
  };

  const anyValue = (depth: number): unknown => {
    if (depth > 4 || chance(0.6)) return pick(scalars);
    return chance(0.5) ? arrayFor({}, depth) : objectFor({}, depth);
  };

  return valueFor(root, 0);
}

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inPlaceSchemas(schema: SchemaObject, root: SchemaObject): unknown[] {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []);
  const branches = ["then", "else"].map((keyword) => schema[keyword]).filter((branch) => branch !== undefined);
  const $defs = root["$defs"] as SchemaObject;
  const targets = { "#": root, "#/$defs/a": $defs["a"], "#/$defs/b": $defs["b"] };
  const target = targets[schema["$ref"] as keyof typeof targets];
  return [...lists, ...branches, ...(target === undefined ? [] : [target])];
}

function guessType(schema: SchemaObject): string {
  const keywords = Object.keys(schema).join();
  if (/propert|required|dependent/i.test(keywords)) return "object";
  if (/items|contains/i.test(keywords)) return "array";
  if (/length|pattern/i.test(keywords)) return "string";
  return /imum|multiple/i.test(keywords) ? "number" : "any";
}
