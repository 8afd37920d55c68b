import type { Random } from "../../environment/random/random.ts";
import { isObject } from "../../protocol/rpc.ts";

/** Something that a JSON Schema allows, drawn at random. Schemas that say little get little. */
export function randomInput(schema: unknown, random: Random, depth = 0): unknown {
  if (!isObject(schema)) return schema === false ? null : "";
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return random.choice(schema["enum"] as unknown[]);
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices) && choices.length > 0)
      return randomInput(random.choice(choices as unknown[]), random, depth);
  }
  if (schema["default"] !== undefined && random.random() < 0.5) return schema["default"];
  const type = Array.isArray(schema["type"]) ? random.choice(schema["type"] as unknown[]) : schema["type"];
  switch (type ?? (schema["properties"] ? "object" : "string")) {
    case "boolean":
      return random.integers(2) === 1;
    case "integer":
      return wholeNumber(schema, random);
    case "number":
      return random.uniform(bound(schema["minimum"], 0), bound(schema["maximum"], bound(schema["minimum"], 0) + 1));
    case "array":
      return array(schema, random, depth);
    case "object":
      return object(schema, random, depth);
    case "null":
      return null;
    default:
      return text(schema, random);
  }
}

/** Every input that a schema allows, where they are few: only enums, booleans and small ranges. Undefined where not. */
export function allInputs(schema: unknown, most = 64): readonly unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  if ("const" in schema) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"].length <= most ? (schema["enum"] as unknown[]) : undefined;
  if (schema["type"] === "boolean") return [false, true];
  if (schema["type"] === "integer") return range(schema["minimum"], schema["maximum"], most);
  if (schema["type"] !== "object" && schema["properties"] === undefined) return undefined;
  let all: Record<string, unknown>[] = [{}];
  for (const [key, property] of requiredProperties(schema)) {
    const values = allInputs(property, most);
    if (!values || all.length * values.length > most) return undefined;
    all = all.flatMap((input) => values.map((value) => ({ ...input, [key]: value })));
  }
  return all;
}

function requiredProperties(schema: Readonly<Record<string, unknown>>): [string, unknown][] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).filter(([key]) => required.includes(key));
}

function object(schema: Readonly<Record<string, unknown>>, random: Random, depth: number): Record<string, unknown> {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const chosen = properties.filter(([key]) => required.includes(key) || (depth < 3 && random.random() < 0.5));
  return Object.fromEntries(chosen.map(([key, property]) => [key, randomInput(property, random, depth + 1)]));
}

function array(schema: Readonly<Record<string, unknown>>, random: Random, depth: number): unknown[] {
  const least = bound(schema["minItems"], 0);
  const most = Math.max(least, Math.min(bound(schema["maxItems"], 3), least + 3));
  const length = depth > 3 ? least : random.integers(least, most + 1);
  return Array.from({ length }, () => randomInput(schema["items"], random, depth + 1));
}

function wholeNumber(schema: Readonly<Record<string, unknown>>, random: Random): number {
  const least = Math.ceil(bound(schema["minimum"], bound(schema["exclusiveMinimum"], -1) + 1));
  const most = Math.floor(bound(schema["maximum"], bound(schema["exclusiveMaximum"], Math.max(least, 0) + 10) - 1));
  const [from, to] = most - least < 2 ** 32 ? [least, most] : nearZero(least, most);
  return random.integers(from, Math.max(from, to) + 1);
}

/** What is bounded only by what numbers can hold is meant for small ones. */
function nearZero(least: number, most: number): [number, number] {
  const from = Math.min(Math.max(least, 0), most - 10);
  return [from, from + 10];
}

function text(schema: Readonly<Record<string, unknown>>, random: Random): string {
  const least = bound(schema["minLength"], 1);
  const most = Math.max(least, Math.min(bound(schema["maxLength"], 8), least + 8));
  const length = random.integers(least, most + 1);
  return Array.from({ length }, () => String.fromCharCode(97 + random.integers(26))).join("");
}

function range(least: unknown, most: unknown, limit: number): number[] | undefined {
  if (typeof least !== "number" || typeof most !== "number" || !(most - least < limit)) return undefined;
  return Array.from({ length: Math.max(0, Math.floor(most) - Math.ceil(least) + 1) }, (_, at) => Math.ceil(least) + at);
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
