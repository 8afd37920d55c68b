import { isRecord } from "../../../../packages/core/src/is-record.ts";
import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";
import { branchesOf, isRequiredIn, kindOf, resolved, schemaOf } from "./schema.ts";
import type { Schema } from "./schema.ts";

/** Error messages by path, such as `items.0.name`. The path of the whole value is empty. */
export type Faults = Readonly<Record<string, string>>;

/** Finds errors to fix before sending. The server validates again. */
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
  const report = (message: string): void => {
    at.faults[at.path] ??= message;
  };
  switch (kindOf(schema)) {
    case "string":
      return typeof value === "string" ? checkText(value, schema, report) : report("Enter text.");
    case "number":
      return typeof value === "number" ? checkNumber(value, schema, report) : report("Enter a number.");
    case "boolean":
      return typeof value === "boolean" ? undefined : report("Must be true or false.");
    case "enum":
      return schema.enum?.some((each) => isSame(each, value)) ? undefined : report("Choose one of the options.");
    case "array":
      return Array.isArray(value) ? checkList(value, schema, at, report) : report("Must be a list.");
    case "object":
      return isRecord(value) ? checkObject(value, schema, at) : report("Must be an object.");
    case "choice":
      return checkChoice(value, schema, at, report);
    case "null":
      return value === null ? undefined : report("Must be null.");
    case "const":
      return isSame(value, schema.const) ? undefined : report(`Must be ${JSON.stringify(schema.const)}.`);
    case "any":
      return value === undefined ? report("Required.") : undefined;
  }
}

function checkText(value: string, schema: Schema, report: (message: string) => void): void {
  const length = Array.from(value).length;
  if (schema.minLength !== undefined && length < schema.minLength)
    report(length === 0 ? "Required." : `Use at least ${schema.minLength} characters.`);
  if (schema.maxLength !== undefined && length > schema.maxLength)
    report(`Use at most ${schema.maxLength} characters.`);
  // `pattern` is not checked: a slow expression would block the page.
}

function checkNumber(value: number, schema: Schema, report: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, type } = schema;
  if (!Number.isFinite(value)) report("Enter a number.");
  if (type === "integer" && !Number.isInteger(value)) report("Enter a whole number.");
  if (minimum !== undefined && value < minimum) report(`Must be at least ${minimum}.`);
  if (maximum !== undefined && value > maximum) report(`Must be at most ${maximum}.`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) report(`Must be greater than ${exclusiveMinimum}.`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) report(`Must be less than ${exclusiveMaximum}.`);
}

function checkList(value: readonly unknown[], schema: Schema, at: Checking, report: (message: string) => void): void {
  if (schema.minItems !== undefined && value.length < schema.minItems) report(`Add at least ${schema.minItems} items.`);
  if (schema.maxItems !== undefined && value.length > schema.maxItems) report(`Use at most ${schema.maxItems} items.`);
  for (const [index, item] of value.entries()) check(item, schemaOf(schema.items), within(at, String(index)));
}

function checkObject(value: Readonly<Record<string, unknown>>, schema: Schema, at: Checking): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = within(at, name);
    if (Object.hasOwn(value, name) && value[name] !== undefined) check(value[name], schemaOf(property), inner);
    else if (isRequiredIn(schema, name)) at.faults[inner.path] = "Required.";
  }
}

/** Valid if one branch matches. Otherwise reports the errors of the first branch with the same type. */
function checkChoice(value: unknown, schema: Schema, at: Checking, report: (message: string) => void): void {
  const tries = (branchesOf(schema) ?? []).map((branch) => {
    const faults: Record<string, string> = {};
    check(value, branch, { ...at, faults, depth: at.depth + 1 });
    return faults;
  });
  if (tries.some((faults) => Object.keys(faults).length === 0)) return;
  const closest = tries.find((faults) => !Object.hasOwn(faults, at.path));
  if (closest) Object.assign(at.faults, closest);
  else report(Object.values(tries[0] ?? {})[0] ?? "Matches none of the options.");
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function within(at: Checking, name: string): Checking {
  return { ...at, path: at.path === "" ? name : `${at.path}.${name}`, depth: at.depth + 1 };
}
