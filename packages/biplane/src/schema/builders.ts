import type { JsonObject, SchemaOf } from "@biplane/core/internal";

/*
 * Builders for literal JSON Schemas. They keep the literal types, so that `ValueOf<typeof schema>` is the type of the
 * values: a schema is the only declaration of what it describes.
 */
export const text = { type: "string" } as const;
export const number = { type: "number" } as const;
export const integer = { type: "integer" } as const;
export const boolean = { type: "boolean" } as const;
export const time = { type: "string", format: "date-time" } as const;
/** A time that a request names, such as `2027-01-31T12:00:00Z`. */
export const instant = {
  ...time,
  pattern: String.raw`^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(:[0-5]\d(\.\d{1,3})?)?Z$`,
} as const;
/** Any JSON object. */
export const record = { type: "object" } as const;
/** Any JSON value. */
export const anything = {} as const;

export function list<const Items extends JsonObject>(items: Items) {
  return { type: "array", items } as const;
}

export function map<const Values extends JsonObject>(values: Values) {
  return { type: "object", additionalProperties: values } as const;
}

export function enumOf<const Value extends string>(...values: readonly Value[]) {
  return { type: "string", enum: values } as const;
}

export function anyOf<const Parts extends readonly JsonObject[]>(...parts: Parts) {
  return { anyOf: parts } as const;
}

export function orNull<const Schema extends JsonObject>(schema: Schema) {
  return anyOf(schema, { type: "null" });
}

export function described<const Schema extends JsonObject>(description: string, schema: Schema) {
  return { ...schema, description } as const;
}

/** Gives the schema a name. It appears once in published documents, and references point to it. */
export function named<const Schema extends JsonObject>(title: string, schema: Schema) {
  return { ...schema, title } as const;
}

/** An object with required and optional members. */
export function object<const Required extends Members>(required: Required): ObjectSchema<Required>;
export function object<const Required extends Members, const Optional extends Members>(
  required: Required,
  optional: Optional,
): ObjectSchema<Required, Optional>;
export function object(required: Members, optional: Members = {}): ObjectSchema<Members> {
  return { type: "object", properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** The schema of a type that is declared elsewhere. The compiler checks that the members have the same names. */
export function shape<Type extends object>(
  required: { readonly [Key in RequiredKey<Type>]: JsonObject },
  ...[optional]: OptionalKey<Type> extends never ? [] : [{ readonly [Key in OptionalKey<Type>]: JsonObject }]
): JsonObject & SchemaOf<Type> {
  return object<Members, Members>(required, optional ?? {}) as unknown as JsonObject & SchemaOf<Type>;
}

export type Members = Readonly<Record<string, JsonObject>>;

// An interface would lack the index signature of a JSON object.
export type ObjectSchema<Required, Optional = unknown> = {
  readonly type: "object";
  readonly properties: Required & Optional;
  readonly required: readonly (keyof Required & string)[];
};

/** JSON omits undefined values, so such keys are optional even if the type requires them. */
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
