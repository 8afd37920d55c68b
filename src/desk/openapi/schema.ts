import type { JsonObject } from "../../tool/schema.ts";

/** Small words for JSON Schema, so that a description reads like the type it describes. */
export const text: JsonObject = { type: "string" };
export const number: JsonObject = { type: "number" };
export const whole: JsonObject = { type: "integer" };
export const flag: JsonObject = { type: "boolean" };
export const time: JsonObject = { type: "string", format: "date-time" };
export const record: JsonObject = { type: "object" };
/** Any JSON at all. */
export const anything: JsonObject = {};

export function list(items: JsonObject): JsonObject {
  return { type: "array", items };
}

export function map(values: JsonObject): JsonObject {
  return { type: "object", additionalProperties: values };
}

export function oneOf(...values: readonly string[]): JsonObject {
  return { type: "string", enum: values };
}

export function orNull(schema: JsonObject): JsonObject {
  return typeof schema["type"] === "string" && !("enum" in schema)
    ? { ...schema, type: [schema["type"], "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

export function about(description: string, schema: JsonObject): JsonObject {
  return { ...schema, description };
}

/** Another schema of the document, by its name. */
export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object of just these members; the second ones may be left out. */
export function object(required: Members, optional: Members = {}): JsonObject {
  const properties = { ...required, ...optional };
  return { type: "object", properties, required: Object.keys(required) };
}

/** The same for a type of the contract: the compiler holds the members to those of the type. */
export function shape<T extends object>(
  required: { readonly [Key in RequiredKey<T>]: JsonObject },
  ...[optional]: OptionalKey<T> extends never ? [] : [{ readonly [Key in OptionalKey<T>]: JsonObject }]
): JsonObject {
  return object(required, optional);
}

/** A page of a list, as every list is given. */
export function pageOf(name: string, items: JsonObject, next: JsonObject = text): JsonObject {
  return object({ [name]: list(items), next: about("For `after`; null on the last page", orNull(next)) });
}

/** A body: a member that is not named here is refused. */
export function body(required: Members, optional: Members = {}): JsonObject {
  return { ...object(required, optional), additionalProperties: false };
}

type Members = Readonly<Record<string, JsonObject>>;

/** What JSON leaves out when it is undefined may be missing, also where the type has the key. */
type OptionalKey<T> = {
  [Key in keyof T]-?: unknown extends T[Key]
    ? object extends Pick<T, Key>
      ? Key
      : never
    : undefined extends T[Key]
      ? Key
      : never;
}[keyof T];

type RequiredKey<T> = Exclude<keyof T, OptionalKey<T>>;
