import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import { isRecord } from "./rpc.ts";

/** Members of hostile params, each of the type it must have, or an error that names it. */
export function text(from: Params, key: string): string {
  const value = from[key];
  if (typeof value === "string") return value;
  throw wrong(key, "a string");
}

export function optionalText(from: Params, key: string): string | undefined {
  return from[key] === undefined ? undefined : text(from, key);
}

export function record(from: Params, key: string): Params {
  const value = from[key];
  if (isRecord(value)) return value;
  throw wrong(key, "an object");
}

export function optionalRecord(from: Params, key: string): Params | undefined {
  return from[key] === undefined ? undefined : record(from, key);
}

function list(from: Params, key: string): readonly unknown[] {
  const value = from[key];
  if (Array.isArray(value)) return value;
  throw wrong(key, "a list");
}

export function texts(from: Params, key: string): readonly string[] | undefined {
  if (from[key] === undefined) return undefined;
  const found = list(from, key);
  if (found.every((entry) => typeof entry === "string")) return found;
  throw wrong(key, "a list of strings");
}

/** A length in pixels. */
export function optionalLength(from: Params, key: string): number | undefined {
  const value = from[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw wrong(key, "a number of pixels");
}

export function oneOf<Name extends string>(from: Params, key: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === from[key]);
  if (found !== undefined) return found;
  throw wrong(key, `one of ${names.join(", ")}`);
}

/** The members that are there: what is undefined is left out, as exact types want it. */
export function present<Fields extends Params>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

export function wrong(key: string, wanted: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `Invalid params: ${key} must be ${wanted}`);
}
