import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { PythonFloat } from "../rollout/python/json.ts";

/** How a value is read from the data, and how Python writes it: in the order of its fields, floats with a point. */
export type Type =
  | "plain"
  | "float"
  | "datetime"
  | { readonly fields: Readonly<Record<string, Type>> }
  | { readonly list: Type }
  | { readonly map: Type }
  | { readonly ordered: Type }
  | { readonly optional: Type; readonly fallback: unknown }
  | { readonly by: string; readonly types: Readonly<Record<string, Type>> };

export const model = (fields: Readonly<Record<string, Type>>) => ({ fields });
export const listOf = (list: Type) => ({ list });
export const mapOf = (map: Type) => ({ map });
export const optional = (type: Type, fallback: unknown = null) => ({ optional: type, fallback });
/** Fields that are read and written as they are. */
export const asIs = (...names: readonly string[]): Readonly<Record<string, Type>> =>
  Object.fromEntries(names.map((name) => [name, "plain"]));
/** Such fields that the data may leave out, with what they are then. */
export const presetFields = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, Type>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, optional("plain", value)]));
/** A map whose keys look like numbers, which only a `Map` keeps in order. It cannot be part of a state. */
export const orderedMapOf = (ordered: Type) => ({ ordered });
/** Several models, told apart by one field. */
export const unionBy = (by: string, types: Readonly<Record<string, Type>>) => ({ by, types });

/** Reads a value of the data: fills defaults, drops unknown fields. `where` names it in errors. */
export function load(type: Type, value: unknown, where: string): unknown {
  if (type === "datetime") return typeof value === "string" ? dateTime(value) : value;
  if (typeof type === "string") return value;
  if ("optional" in type)
    return value === undefined || value === null ? copy(type.fallback) : load(type.optional, value, where);
  if ("list" in type) {
    if (!Array.isArray(value)) throw invalid(where, "a list");
    return value.map((each, index) => load(type.list, each, `${where}[${index}]`));
  }
  if ("ordered" in type) {
    if (!(value instanceof Map)) throw invalid(where, "an object");
    return new Map(
      [...(value as Map<string, unknown>)].map(([key, each]) => [key, load(type.ordered, each, `${where}.${key}`)]),
    );
  }
  if (!isRecord(value)) throw invalid(where, "an object");
  if ("map" in type) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, load(type.map, each, `${where}.${key}`)]),
    );
  }
  return loadModel(modelOf(type, value, where), value, where);
}

function loadModel(
  fields: Readonly<Record<string, Type>>,
  value: Readonly<Record<string, unknown>>,
  where: string,
): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name, type]) => {
      const isMissing = value[name] === undefined && !(typeof type === "object" && "optional" in type);
      if (isMissing) throw invalid(`${where}.${name}`, "set");
      return [name, load(type, value[name], `${where}.${name}`)];
    }),
  );
}

/** The value as Python's `json.dumps` writes it, with `PythonFloat`s. */
export function dump(type: Type, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === "float") return isInteger(value) ? value.python_int : new PythonFloat(Number(value));
  if (typeof type === "string") return value;
  if ("optional" in type) return dump(type.optional, value);
  if ("list" in type) return (value as readonly unknown[]).map((each) => dump(type.list, each));
  if ("map" in type) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, dump(type.map, each)]));
  }
  if ("ordered" in type) {
    return new Map([...(value as Map<string, unknown>)].map(([key, each]) => [key, dump(type.ordered, each)]));
  }
  const record = value as Readonly<Record<string, unknown>>;
  const fields = modelOf(type, record, "");
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, dump(each, record[name])]));
}

/** An int in a field of floats. Python does not convert what is assigned. */
export interface PythonInteger {
  readonly python_int: number;
}

function isInteger(value: unknown): value is PythonInteger {
  return isRecord(value) && "python_int" in value;
}

type Models = Extract<Type, { readonly fields: unknown } | { readonly by: string }>;

function modelOf(
  type: Models,
  value: Readonly<Record<string, unknown>>,
  where: string,
): Readonly<Record<string, Type>> {
  if ("fields" in type) return type.fields;
  const found = type.types[String(value[type.by])];
  if (typeof found === "object" && "fields" in found) return found.fields;
  throw invalid(`${where}.${type.by}`, `one of ${Object.keys(type.types).join(", ")}`);
}

function invalid(where: string, what: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The tau2 data is not as expected: ${where} must be ${what}.`);
}

/** As Python prints a datetime. */
function dateTime(text: string): string {
  const [day = "", time = "00:00:00"] = text.split(/[T ]/);
  return `${day} ${time}`;
}

function copy(value: unknown): unknown {
  return structuredClone(value);
}
