import { nearest, unknownName } from "../call/rules/near-miss.ts";
import type { Path, Place, Problem } from "../call/rules/problem.ts";
import { placeIn } from "../call/rules/problem.ts";
import { isRecord } from "../call/rules/read-list.ts";
import { showValue } from "../call/rules/show-value.ts";
import type { Schema, TypeName } from "./schema.ts";

export interface CheckContext {
  /** Whether a value came as text from elsewhere: it may stand for a number, and must not be shown. */
  readonly isReferred: (path: Path) => boolean;
  /** Whether a value could not be made; that was told of. */
  readonly isMissing: (path: Path) => boolean;
  /** Makes a path that was written at a place absolute. */
  readonly resolvePath: (path: Path, written: string) => string;
}

/** Checks a value and says everything that is wrong with it; gives it with its defaults and absolute paths. */
export function checkValue(value: unknown, schema: Schema, place: Place, context: CheckContext): unknown {
  if (context.isMissing(place.path)) return value;
  if (schema.anyOf && !schema.properties) return checkChoice(value, schema.anyOf, place, context);
  const meant = context.isReferred(place.path) ? readText(value, schema) : value;
  if (!hasType(meant, schema)) {
    const wanted = schema.means ?? orWords(typesOf(schema).map((type) => typeWords[type]));
    place.fail(`must be ${wanted}, not ${nameOf(meant)}`);
    return meant;
  }
  if (schema.enum && !schema.enum.some((each) => each === meant || isRecord(each) || Array.isArray(each))) {
    place.fail(notOneOf(meant, schema.enum, context.isReferred(place.path)));
    return meant;
  }
  if (typeof meant === "string") return checkText(meant, schema, place, context);
  if (typeof meant === "number") checkNumber(meant, schema, place);
  if (Array.isArray(meant)) {
    const { items } = schema;
    return items ? meant.map((item, index) => checkValue(item, items, place.at(index), context)) : meant;
  }
  return isRecord(meant) ? checkObject(meant, schema, place, context) : meant;
}

/** The part that the value is meant for is the one of its type, or else the one that it misses least. */
function checkChoice(value: unknown, parts: readonly Schema[], place: Place, context: CheckContext): unknown {
  const ofType = parts.filter((part) => hasType(value, part));
  if (ofType.length === 0) {
    const types = parts.flatMap((part) => part.enum?.map(showValue) ?? typesOf(part).map((type) => typeWords[type]));
    place.fail(`must be ${orWords(types)}, not ${nameOf(value)}`);
    return value;
  }
  const tries = ofType.map((part) => {
    const problems: Problem[] = [];
    return { value: checkValue(value, part, placeIn(problems, place.path), context), problems };
  });
  const best = tries.reduce((least, each) => (each.problems.length < least.problems.length ? each : least));
  for (const { path, message, at } of best.problems) inside(place, path).fail(message, at);
  return best.value;
}

function inside(place: Place, path: Path): Place {
  return path.slice(place.path.length).reduce((at: Place, step) => at.at(step), place);
}

function checkText(text: string, schema: Schema, place: Place, context: CheckContext): string {
  const { minLength = 0, maxLength = Infinity, pattern, means } = schema;
  if (text === "" && minLength > 0) place.fail("is empty");
  else if (text.length < minLength) place.fail(`must have at least ${minLength} characters`);
  else if (text.length > maxLength) place.fail(`must have at most ${maxLength} characters`);
  else if (pattern !== undefined && !new RegExp(pattern, "u").test(text))
    place.fail(`must be ${means ?? `like ${pattern}`}`);
  return schema.format === "path" ? context.resolvePath(place.path, text) : text;
}

function checkNumber(number: number, schema: Schema, place: Place): void {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = schema;
  if (number < minimum) place.fail(`must be at least ${minimum}`);
  if (number <= exclusiveMinimum) place.fail(`must be above ${exclusiveMinimum}`);
  if (number > maximum) place.fail(`must be at most ${maximum}`);
}

function checkObject(
  record: Record<string, unknown>,
  schema: Schema,
  place: Place,
  context: CheckContext,
): Record<string, unknown> {
  const { properties = {}, additionalProperties = true, required = [], propertyNames } = schema;
  const checked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    const at = place.at(key);
    const known = Object.hasOwn(properties, key)
      ? properties[key]
      : "patternProperties" in schema || additionalProperties;
    if (propertyNames?.pattern !== undefined && !new RegExp(propertyNames.pattern, "u").test(key))
      at.fail(`must be named by ${propertyNames.means ?? propertyNames.pattern}`, "key");
    if (known === false) at.fail(unknownName(key, Object.keys(properties)), "key");
    else checked[key] = typeof known === "object" ? checkValue(value, known, at, context) : value;
  }
  // One that is there but misspelled was told of.
  const lacking = required.filter((key) => !Object.hasOwn(record, key));
  const misspelled = lacking.length > 0 ? Object.keys(record).map((key) => nearest(key, Object.keys(properties))) : [];
  for (const key of lacking) if (!misspelled.includes(key)) place.fail(`lacks ${key}`);
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(record, key) || property.default === undefined) continue;
    checked[key] = checkValue(structuredClone(property.default), property, place.at(key), context);
  }
  return checked;
}

/** A text from the environment that stands where a number or a yes is wanted. */
function readText(value: unknown, schema: Schema): unknown {
  if (typeof value !== "string") return value;
  const types = typesOf(schema);
  const isNumber = types.includes("number") || types.includes("integer");
  if (isNumber && /^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
  return value;
}

function hasType(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

function typesOf({ type }: Schema): readonly TypeName[] {
  return type === undefined ? [] : typeof type === "string" ? [type] : type;
}

function isOfType(value: unknown, type: TypeName): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type && (type !== "number" || Number.isFinite(value));
}

const typeWords: Record<TypeName, string> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a group of keys",
  array: "a list",
  null: "null",
};

function nameOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : "something endless";
  return isRecord(value) ? "a group of keys" : typeof value === "string" ? "text" : "true or false";
}

function notOneOf(value: unknown, known: readonly unknown[], isHidden: boolean): string {
  if (typeof value !== "string" || isHidden) return `must be ${orWords(known.map(showValue))}`;
  return `is ${showValue(value)}, which ${unknownName(value, known.map(String), "known here")}`;
}

function orWords(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
