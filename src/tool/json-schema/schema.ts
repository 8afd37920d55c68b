/** A JSON Schema as it comes from JSON: an object of keywords, or `true` / `false`. */
export type JsonSchema = { readonly [key: string]: unknown } | boolean;

/** The first thing wrong with a value. `path` is a JSON pointer: `""` is the value itself, `/items/0/name` a part of it. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** Says what is wrong with a value; `undefined` means it fits the schema. */
export type Check<T = unknown> = (value: T) => SchemaFault | undefined;

export type JsonObject = { readonly [key: string]: unknown };
