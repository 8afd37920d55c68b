import type { JsonObject } from "../../../../src/tool/schema.ts";
import { branchesOf, isRequiredIn, kindOf, resolved, schemaOf } from "./schema.ts";
import type { Schema } from "./schema.ts";

/** What is wrong with a value, by its path: `items.0.name`. The whole value's path is empty. */
export type Faults = Readonly<Record<string, string>>;

/** Finds what a person should mend before sending. The server has the last word. */
export function faultsIn(value: unknown, schema: Schema, root: JsonObject): Faults {
  const faults: Record<string, string> = {};
  check(value, schema, { root, path: "", faults, depth: 0 });
  return faults;
}

interface Checking {
  readonly root: JsonObject;
  readonly path: string;
  readonly faults: Record<string, string>;
  readonly depth: number;
}

function check(value: unknown, given: Schema, at: Checking): void {
  if (at.depth > 30) return;
  const schema = resolved(given, at.root);
  const say = (message: string): void => {
    at.faults[at.path] ??= message;
  };
  switch (kindOf(schema)) {
    case "string":
      return typeof value === "string" ? checkText(value, schema, say) : say("Text is needed");
    case "number":
      return typeof value === "number" ? checkNumber(value, schema, say) : say("A number is needed");
    case "boolean":
      return typeof value === "boolean" ? undefined : say("Yes or no is needed");
    case "enum":
      return schema.enum?.some((each) => isSame(each, value)) ? undefined : say("Choose one");
    case "array":
      return Array.isArray(value) ? checkList(value, schema, at, say) : say("A list is needed");
    case "object":
      return isObject(value) ? checkObject(value, schema, at) : say("An object is needed");
    case "choice":
      return checkChoice(value, schema, at, say);
    case "null":
      return value === null ? undefined : say("Nothing may stand here");
    case "const":
      return isSame(value, schema.const) ? undefined : say(`It must be ${JSON.stringify(schema.const)}`);
    case "any":
      return value === undefined ? say("A value is needed") : undefined;
  }
}

function checkText(value: string, schema: Schema, say: (message: string) => void): void {
  const length = Array.from(value).length;
  if (schema.minLength !== undefined && length < schema.minLength)
    say(length === 0 ? "This is needed" : `At least ${schema.minLength} characters`);
  if (schema.maxLength !== undefined && length > schema.maxLength) say(`At most ${schema.maxLength} characters`);
  // A pattern is not run here: one made to be slow would hold the page.
}

function checkNumber(value: number, schema: Schema, say: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, type } = schema;
  if (!Number.isFinite(value)) say("A number is needed");
  if (type === "integer" && !Number.isInteger(value)) say("A whole number is needed");
  if (minimum !== undefined && value < minimum) say(`At least ${minimum}`);
  if (maximum !== undefined && value > maximum) say(`At most ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) say(`More than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) say(`Less than ${exclusiveMaximum}`);
}

function checkList(value: readonly unknown[], schema: Schema, at: Checking, say: (message: string) => void): void {
  if (schema.minItems !== undefined && value.length < schema.minItems) say(`At least ${schema.minItems}`);
  if (schema.maxItems !== undefined && value.length > schema.maxItems) say(`At most ${schema.maxItems}`);
  for (const [index, item] of value.entries()) check(item, schemaOf(schema.items), within(at, String(index)));
}

function checkObject(value: Readonly<Record<string, unknown>>, schema: Schema, at: Checking): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = within(at, name);
    if (Object.hasOwn(value, name) && value[name] !== undefined) check(value[name], schemaOf(property), inner);
    else if (isRequiredIn(schema, name)) at.faults[inner.path] = "This is needed";
  }
}

/** Right if it fits one of the ways; else what is wrong with the first of the same type is said. */
function checkChoice(value: unknown, schema: Schema, at: Checking, say: (message: string) => void): void {
  const tries = (branchesOf(schema) ?? []).map((branch) => {
    const faults: Record<string, string> = {};
    check(value, branch, { ...at, faults, depth: at.depth + 1 });
    return faults;
  });
  if (tries.some((faults) => Object.keys(faults).length === 0)) return;
  const closest = tries.find((faults) => !Object.hasOwn(faults, at.path));
  if (closest) Object.assign(at.faults, closest);
  else say(Object.values(tries[0] ?? {})[0] ?? "This fits none of the ways");
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function within(at: Checking, name: string): Checking {
  return { ...at, path: at.path === "" ? name : `${at.path}.${name}`, depth: at.depth + 1 };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
