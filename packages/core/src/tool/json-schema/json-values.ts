import { exceed, spend, type SchemaRun } from "./run.ts";
import type { JsonObject } from "./schema.ts";
import { isRecord } from "../../is-record.ts";

/** The keys JSON would carry: a member with the value `undefined` counts as absent. */
export function presentKeys(value: JsonObject): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** Own and present; a key such as `constructor` must not be found on the prototype. */
export function hasMember(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

/** The kind of a value as one bit, so a set of kinds is a mask. 0 for values JSON cannot carry, such as NaN. */
export function jsonKind(value: unknown): number {
  switch (typeof value) {
    case "string":
      return KIND.string;
    case "number":
      if (Number.isInteger(value)) return KIND.integer;
      return Number.isFinite(value) ? KIND.fraction : 0;
    case "boolean":
      return KIND.boolean;
    case "object":
      if (value === null) return KIND.null;
      return Array.isArray(value) ? KIND.array : KIND.object;
    default:
      return 0;
  }
}

export const KIND = { null: 1, boolean: 2, string: 4, fraction: 8, integer: 16, array: 32, object: 64 } as const;
export const NUMBER_KINDS = KIND.fraction | KIND.integer;
export const ALL_KINDS = 127;

const typeMasks = new Map<unknown, number>([
  ["string", KIND.string],
  ["number", NUMBER_KINDS],
  ["integer", KIND.integer],
  ["boolean", KIND.boolean],
  ["array", KIND.array],
  ["object", KIND.object],
  ["null", KIND.null],
]);

export const typeNames: readonly unknown[] = [...typeMasks.keys()];

/** The mask of a list of type names; `undefined` if a name is not a type. */
export function maskOfTypes(names: readonly unknown[]): number | undefined {
  let mask = 0;
  for (const name of names) {
    const bits = typeMasks.get(name);
    if (bits === undefined) return undefined;
    mask |= bits;
  }
  return mask;
}

/** "string or null". */
export function describeMask(mask: number): string {
  const names: unknown[] = [];
  for (const [name, bits] of typeMasks) {
    const hidden = (mask & KIND.fraction) === 0 ? "number" : "integer";
    if ((mask & bits) !== 0 && name !== hidden) names.push(name);
  }
  return names.join(" or ");
}

export function describeJsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : typeof value;
}

/**
 * Equality of JSON values. Recursion is bounded by the depth of `constant`, which the schema limits. `mayGoOn` is called
 * for each pair of members; if it returns false, the comparison ends.
 */
export function equalsConstant(value: unknown, constant: unknown, mayGoOn: () => boolean = always): boolean {
  if (value === constant) return true;
  const isEqual = (one: unknown, other: unknown) => mayGoOn() && equalsConstant(one, other, mayGoOn);
  if (Array.isArray(constant)) {
    if (!Array.isArray(value) || value.length !== constant.length) return false;
    return constant.every((item, index) => isEqual(value[index], item));
  }
  if (!isRecord(constant) || !isRecord(value)) return false;
  const keys = presentKeys(constant);
  if (presentKeys(value).length !== keys.length) return false;
  return keys.every((key) => hasMember(value, key) && isEqual(value[key], constant[key]));
}

const always = () => true;

export function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(member, levels - 1));
}

/** The indexes of the first two equal items. Near-linear, because the array may be long and hostile. */
export function findEqualItems(items: readonly unknown[], run: SchemaRun): [number, number] | undefined {
  const scalars = new Map<unknown, number>();
  const containers = new Map<unknown, number>();
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const isContainer = typeof item === "object" && item !== null;
    const seen = isContainer ? containers : scalars;
    const key = isContainer ? canonicalText(item, run, 0) : item;
    if (run.exceeded !== undefined) return undefined;
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, index];
    seen.set(key, index);
  }
  return undefined;
}

const MAX_ITEM_DEPTH = 500;
/** Writing a value takes longer than visiting it. */
const CANONICAL_WORK = 10;

function canonicalText(value: unknown, run: SchemaRun, depth: number): string {
  if (depth > MAX_ITEM_DEPTH) return exceed(run, "is nested too deeply to be checked").message;
  if (!spend(run, CANONICAL_WORK)) return "";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, run, depth + 1)).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const members = presentKeys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key], run, depth + 1)}`);
  return `{${members.join()}}`;
}
