import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { PythonFloat } from "../rollout/python/json.ts";

/** How a value is read from the data, and how Python writes it: in the order of its fields, floats with a point. */
export interface Type<Value = unknown> {
  /** Fills defaults, drops unknown fields. `where` names the value in errors. */
  load(value: unknown, where: string): Value;
  dump(value: Value): unknown;
  /** True if the data may leave it out. */
  readonly isOptional?: true;
}

/** The values of a type. */
export type DataOf<T> = T extends Type<infer Value> ? Value : never;

/** The value as Python's `json.dumps` writes it, with `PythonFloat`s. */
export function dump<Value>(type: Type<Value>, value: Value | null | undefined): unknown {
  return value === null || value === undefined ? null : type.dump(value);
}

/** A value that is read and written as it is. */
export const asIs = <Value>(): Type<Value> => ({ load: (value) => value as Value, dump: (value) => value });
export const text = asIs<string>();
export const number = asIs<number>();

/** An int in a field of floats. Python does not convert what is assigned. */
export interface PythonInteger {
  readonly python_int: number;
}

export const float: Type<number> = {
  ...number,
  dump: (value: number | PythonInteger) => (isRecord(value) ? value["python_int"] : new PythonFloat(Number(value))),
};

/** Python prints it with a time. */
export const dateTime: Type<string> = {
  ...text,
  load: (value) => {
    if (typeof value !== "string") return value as string;
    const [day = "", time = "00:00:00"] = value.split(/[T ]/);
    return `${day} ${time}`;
  },
};

export function optional<Value>(type: Type<Value>, fallback: NoInfer<Value>): Type<Value>;
export function optional<Value>(type: Type<Value>): Type<Value | null>;
export function optional(type: Type, fallback: unknown = null): Type {
  return {
    isOptional: true,
    load: (value, where) =>
      value === undefined || value === null ? structuredClone(fallback) : type.load(value, where),
    dump: (value) => dump(type, value),
  };
}

export const listOf = <Value>(type: Type<Value>): Type<Value[]> => ({
  load: (value, where) => {
    if (!Array.isArray(value)) throw invalid(where, "a list");
    return value.map((each, index) => type.load(each, `${where}[${index}]`));
  },
  dump: (values) => values.map((each) => dump(type, each)),
});

export const mapOf = <Value>(type: Type<Value>): Type<Record<string, Value>> => ({
  load: (value, where) => mapped(recordAt(value, where), (each, key) => type.load(each, `${where}.${key}`)),
  dump: (values) => mapped(values, (each) => dump(type, each)),
});

/** A map whose keys look like numbers, which only a `Map` keeps in order. It cannot be part of a state. */
export const orderedMapOf = <Value>(type: Type<Value>): Type<Map<string, Value>> => ({
  load: (value, where) => {
    if (!(value instanceof Map)) throw invalid(where, "an object");
    const entries = value as Map<string, unknown>;
    return new Map(Array.from(entries, ([key, each]) => [key, type.load(each, `${where}.${key}`)]));
  },
  dump: (values) => new Map(Array.from(values, ([key, each]) => [key, dump(type, each)])),
});

export function model<Fields extends Readonly<Record<string, Type>>>(fields: Fields) {
  const type: Type<Record<string, unknown>> = {
    load: (value, where) => {
      const record = recordAt(value, where);
      return mapped(fields, (field, name) => {
        if (record[name] === undefined && !field.isOptional) throw invalid(`${where}.${name}`, "set");
        return field.load(record[name], `${where}.${name}`);
      });
    },
    dump: (value) => mapped(fields, (field, name) => dump(field, value[name])),
  };
  return type as Type<{ -readonly [Name in keyof Fields]: DataOf<Fields[Name]> }>;
}

/** Several fields of one type. */
export function each<Value, Name extends string>(type: Type<Value>, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type<Value>>;
}

/** Fields that the data may leave out, with what they are then. */
export function presetFields<Values extends Readonly<Record<string, unknown>>>(values: Values) {
  return mapped(values, (value) => optional(asIs<unknown>(), value)) as { [Name in keyof Values]: Type<Values[Name]> };
}

/** Several models, told apart by one field. */
export function unionBy<Value extends object>(
  by: keyof Value & string,
  types: Readonly<Record<string, Type<Partial<Value>>>>,
): Type<Value> {
  const typeOf = (value: Readonly<Record<string, unknown>>, where: string) => {
    const type = types[String(value[by])];
    if (!type) throw invalid(`${where}.${by}`, `one of ${Object.keys(types).join(", ")}`);
    return type;
  };
  return {
    load: (value, where) => typeOf(recordAt(value, where), where).load(value, where) as Value,
    dump: (value) => typeOf(value as Readonly<Record<string, unknown>>, "").dump(value),
  };
}

function mapped<Value, Result>(record: Readonly<Record<string, Value>>, change: (value: Value, key: string) => Result) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

function recordAt(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw invalid(where, "an object");
}

function invalid(where: string, what: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The tau2 data is not as expected: ${where} must be ${what}.`);
}
