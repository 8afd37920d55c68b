import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import { isRecord } from "../../../is-record.ts";

/** These functions read fields of untrusted params. A wrong type throws an error that names the field. */
export function stringField(from: Params, key: string): string {
  const value = from[key];
  if (typeof value === "string") return value;
  throw fieldError(key, "a string");
}

export function optionalStringField(from: Params, key: string): string | undefined {
  return from[key] === undefined ? undefined : stringField(from, key);
}

export function objectField(from: Params, key: string): Params {
  const value = from[key];
  if (isRecord(value)) return value;
  throw fieldError(key, "an object");
}

export function optionalObjectField(from: Params, key: string): Params | undefined {
  return from[key] === undefined ? undefined : objectField(from, key);
}

function list(from: Params, key: string): readonly unknown[] {
  const value = from[key];
  if (Array.isArray(value)) return value;
  throw fieldError(key, "a list");
}

export function optionalStringsField(from: Params, key: string): readonly string[] | undefined {
  if (from[key] === undefined) return undefined;
  const found = list(from, key);
  if (found.every((entry) => typeof entry === "string")) return found;
  throw fieldError(key, "a list of strings");
}

/** A length in pixels. */
export function optionalLengthField(from: Params, key: string): number | undefined {
  const value = from[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw fieldError(key, "a number of pixels");
}

export function enumField<Name extends string>(from: Params, key: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === from[key]);
  if (found !== undefined) return found;
  throw fieldError(key, `one of ${names.join(", ")}`);
}

/** Drops undefined fields, as `exactOptionalPropertyTypes` requires. */
export function present<Fields extends Params>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

export function fieldError(key: string, wanted: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `Invalid params: ${key} must be ${wanted}`);
}
