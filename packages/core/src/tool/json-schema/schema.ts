/** A parsed JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown } | boolean;

/** The first fault of a value. `path` is a JSON pointer: `""` is the value itself. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** Returns what is wrong with a value, or `undefined` if it is valid. */
export type Check<T = unknown> = (value: T) => SchemaFault | undefined;

export type JsonObject = { readonly [key: string]: unknown };
