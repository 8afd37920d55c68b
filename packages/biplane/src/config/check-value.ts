import { compileSchema, isRecord, nearest, cursorIn, showValue, unknownName } from "@biplane/core/internal";
import type { Path, DocumentCursor, Problem } from "@biplane/core/internal";
import type { Schema, TypeName } from "./schema.ts";

export interface CheckContext {
  /**
   * True if the value came from a reference or an environment variable: it may stand for a number, and must not be
   * shown.
   */
  readonly isReferred: (path: Path) => boolean;
  /** True if a reference could not be resolved, which was already reported. */
  readonly isMissing: (path: Path) => boolean;
  /** Makes a path absolute, relative to where it was written. */
  readonly resolvePath: (path: Path, written: string) => string;
}

/**
 * Reports every problem of a value, where the compiler of JSON Schema stops at the first. Returns the value with
 * defaults and absolute paths. The compiler judges each value; its members and items are judged on their own.
 */
export function checkConfigValue(
  value: unknown,
  schema: Schema,
  place: DocumentCursor,
  context: CheckContext,
): unknown {
  if (context.isMissing(place.path)) return value;
  if (schema.anyOf && !schema.properties) return checkChoice(value, schema.anyOf, place, context);
  const isReferred = context.isReferred(place.path);
  const parsed = isReferred ? readText(value, schema) : value;
  const fault = ownCheck(schema)(parsed);
  if (fault) place.fail(explain(parsed, schema, { fault: fault.message, isReferred }));
  if (typeof parsed === "string" && schema.format === "path") return context.resolvePath(place.path, parsed);
  const { items } = schema;
  if (Array.isArray(parsed))
    return items ? parsed.map((item, index) => checkConfigValue(item, items, place.at(index), context)) : parsed;
  return isRecord(parsed) && hasType(parsed, schema) ? checkObject(parsed, schema, place, context) : parsed;
}

/** Checks the keywords that concern the value itself. */
function ownCheck(schema: Schema): ReturnType<typeof compileSchema> {
  const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !otherKeywords.has(keyword)));
  const key = JSON.stringify(own);
  let check = ownChecks.get(key);
  if (!check) ownChecks.set(key, (check = compileSchema(own)));
  return check;
}

/** By content: a config file has a hundred values and a dozen kinds of them. */
const ownChecks = new Map<string, ReturnType<typeof compileSchema>>();
const ofMembers = ["properties", "required", "additionalProperties", "propertyNames", "items"];
const notes = ["description", "default", "means", "environment", "former", "writeOnly", "format"];
const otherKeywords = new Set([...ofMembers, ...notes]);

/** A fault in the words of a config file. Never shows a value that came from a reference. */
function explain(
  value: unknown,
  schema: Schema,
  { fault, isReferred }: { fault: string; isReferred: boolean },
): string {
  const { enum: known, minLength = 0, pattern, means } = schema;
  if (!hasType(value, schema)) return `must be ${means ?? orWords(wantedBy(schema))}, not ${nameOf(value)}`;
  if (known && typeof value === "string" && !isReferred)
    return `is ${showValue(value)}, which ${unknownName(value, known.map(String), "known here")}`;
  if (known) return `must be ${orWords(known.map(showValue))}`;
  if (value === "" && minLength > 0) return "is empty";
  if (pattern !== undefined && fault.startsWith("must match")) return `must be ${means ?? `like ${pattern}`}`;
  return fault.replace(/, got .*$/s, "");
}

/** Picks the alternative of the value's type, or else the one with the fewest problems. */
function checkChoice(value: unknown, parts: readonly Schema[], place: DocumentCursor, context: CheckContext): unknown {
  const ofType = parts.filter((part) => hasType(value, part));
  if (ofType.length === 0) {
    const wanted = parts.flatMap((part) => part.enum?.map(showValue) ?? wantedBy(part));
    place.fail(`must be ${orWords(wanted)}, not ${nameOf(value)}`);
    return value;
  }
  const tries = ofType.map((part) => {
    const problems: Problem[] = [];
    return { value: checkConfigValue(value, part, cursorIn(problems, place.path), context), problems };
  });
  const best = tries.reduce((fewest, each) => (each.problems.length < fewest.problems.length ? each : fewest));
  for (const { path, message, at } of best.problems) inside(place, path).fail(message, at);
  return best.value;
}

function inside(place: DocumentCursor, path: Path): DocumentCursor {
  return path.slice(place.path.length).reduce((at: DocumentCursor, step) => at.at(step), place);
}

function checkObject(
  record: Record<string, unknown>,
  schema: Schema,
  place: DocumentCursor,
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
    else checked[key] = typeof known === "object" ? checkConfigValue(value, known, at, context) : value;
  }
  // A misspelled key was already reported.
  const lacking = required.filter((key) => !Object.hasOwn(record, key));
  const misspelled = lacking.length > 0 ? Object.keys(record).map((key) => nearest(key, Object.keys(properties))) : [];
  for (const key of lacking) if (!misspelled.includes(key)) place.fail(`lacks ${key}`);
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(record, key) || property.default === undefined) continue;
    checked[key] = checkConfigValue(structuredClone(property.default), property, place.at(key), context);
  }
  return checked;
}

/** Parses text from the environment where a number or boolean is expected. */
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
  return types.length === 0 || ownCheck({ type: types })(value) === undefined;
}

function typesOf({ type }: Schema): readonly TypeName[] {
  return type === undefined ? [] : typeof type === "string" ? [type] : type;
}

/** What a value should be, in words: "a group of keys (perSecond, burst)". */
function wantedBy(schema: Schema): readonly string[] {
  const keys = Object.keys(schema.properties ?? {});
  const shown = keys.length === 0 || keys.length > maxShownKeys ? "" : ` (${keys.join(", ")})`;
  return typesOf(schema).map((type) => `${typeWords[type]}${type === "object" ? shown : ""}`);
}

const maxShownKeys = 15;

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
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : "an infinite number";
  return isRecord(value) ? "a group of keys" : typeof value === "string" ? "text" : "true or false";
}

function orWords(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
