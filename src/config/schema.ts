/** The part of JSON Schema that the config file is described in. */
export interface Schema {
  readonly type?: TypeName | readonly TypeName[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  /** `path`: relative to the folder of the file it is written in. */
  readonly format?: string;
  /** Never shown. */
  readonly writeOnly?: boolean;
  /** What `pattern` asks for, in words: "sha256: and 64 hex digits". */
  readonly means?: string;
  /** The environment variable that goes before the file. */
  readonly environment?: string;
}

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** What a checked value is like: a property that has a default is there. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly anyOf: readonly (infer Part)[] }
    ? ValueOf<Part>
    : S extends { readonly type: "array"; readonly items: infer Item }
      ? readonly ValueOf<Item>[]
      : S extends { readonly type: "object"; readonly properties: infer Properties }
        ? ObjectOf<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
        : S extends { readonly type: "object"; readonly additionalProperties: infer Value }
          ? Readonly<Record<string, ValueOf<Value>>>
          : S extends { readonly type: keyof Plain }
            ? Plain[S["type"]]
            : unknown;

interface Plain {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: Readonly<Record<string, unknown>>;
}

type ObjectOf<Properties, Required> = {
  readonly [Name in keyof Properties as IsThere<Properties, Name, Required>]: ValueOf<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Exclude<Name, IsThere<Properties, Name, Required>>]?: ValueOf<Properties[Name]>;
};

type IsThere<Properties, Name extends keyof Properties, Required> = Name extends Required
  ? Name
  : Properties[Name] extends { readonly default: unknown }
    ? Name
    : never;
