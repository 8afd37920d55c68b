import type { Random } from "@biplane/core/internal";
import { isRecord } from "@biplane/core/internal";

/** A random value for a JSON Schema. Unsupported keywords are ignored. */
export function randomInput(schema: unknown, random: Random, depth = 0): unknown {
  if (!isRecord(schema)) return schema === false ? null : "";
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

/** All values of a schema with only enums, booleans and small ranges; undefined if there are more than `max`. */
export function allInputs(schema: unknown, max = 64): readonly unknown[] | undefined {
  if (!isRecord(schema)) return undefined;
  if ("const" in schema) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"].length <= max ? (schema["enum"] as unknown[]) : undefined;
  if (schema["type"] === "boolean") return [false, true];
  if (schema["type"] === "integer") return range(schema["minimum"], schema["maximum"], max);
  if (schema["type"] !== "object" && schema["properties"] === undefined) return undefined;
  let all: Record<string, unknown>[] = [{}];
  for (const [key, property] of requiredProperties(schema)) {
    const values = allInputs(property, max);
    if (!values || all.length * values.length > max) return undefined;
    all = all.flatMap((input) => values.map((value) => ({ ...input, [key]: value })));
  }
  return all;
}

function requiredProperties(schema: Readonly<Record<string, unknown>>): [string, unknown][] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).filter(([key]) => required.includes(key));
}

function object(schema: Readonly<Record<string, unknown>>, random: Random, depth: number): Record<string, unknown> {
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const chosen = properties.filter(([key]) => required.includes(key) || (depth < 3 && random.random() < 0.5));
  return Object.fromEntries(chosen.map(([key, property]) => [key, randomInput(property, random, depth + 1)]));
}

function array(schema: Readonly<Record<string, unknown>>, random: Random, depth: number): unknown[] {
  const min = bound(schema["minItems"], 0);
  const max = Math.max(min, Math.min(bound(schema["maxItems"], 3), min + 3));
  const length = depth > 3 ? min : random.integers(min, max + 1);
  return Array.from({ length }, () => randomInput(schema["items"], random, depth + 1));
}

function wholeNumber(schema: Readonly<Record<string, unknown>>, random: Random): number {
  const min = Math.ceil(bound(schema["minimum"], bound(schema["exclusiveMinimum"], -1) + 1));
  const max = Math.floor(bound(schema["maximum"], bound(schema["exclusiveMaximum"], Math.max(min, 0) + 10) - 1));
  const [from, to] = max - min < 2 ** 32 ? [min, max] : nearZero(min, max);
  return random.integers(from, Math.max(from, to) + 1);
}

/** For huge ranges, draws from a small range near zero. */
function nearZero(min: number, max: number): [number, number] {
  const from = Math.min(Math.max(min, 0), max - 10);
  return [from, from + 10];
}

function text(schema: Readonly<Record<string, unknown>>, random: Random): string {
  const min = bound(schema["minLength"], 1);
  const max = Math.max(min, Math.min(bound(schema["maxLength"], 8), min + 8));
  const length = random.integers(min, max + 1);
  return Array.from({ length }, () => String.fromCharCode(97 + random.integers(26))).join("");
}

function range(min: unknown, max: unknown, limit: number): number[] | undefined {
  if (typeof min !== "number" || typeof max !== "number" || !(max - min < limit)) return undefined;
  return Array.from({ length: Math.max(0, Math.floor(max) - Math.ceil(min) + 1) }, (_, at) => Math.ceil(min) + at);
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
