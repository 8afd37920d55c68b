/**
 * The type of the values that a literal JSON Schema accepts; `unknown` where it cannot be derived. With `Filled`,
 * properties with a default are required.
 */
export type ValueOf<Schema, Filled extends boolean = false> =
  Schema extends SchemaOf<infer Value>
    ? Value
    : Schema extends { readonly const: infer Value }
      ? Value
      : Schema extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : Schema extends { readonly anyOf: readonly (infer Part)[] } | { readonly oneOf: readonly (infer Part)[] }
          ? ValueOf<Part, Filled>
          : Schema extends { readonly type: infer Type }
            ? OfType<Type extends readonly (infer Each)[] ? Each : Type, Schema, Filled>
            : unknown;

/** A schema whose values are known to have a type that was declared elsewhere. */
export interface SchemaOf<Value> {
  readonly [valueType]: Value;
}

declare const valueType: unique symbol;

/** Distributes over a list of types, such as `{ type: ["string", "null"] }`. */
type OfType<Type, Schema, Filled extends boolean> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? readonly ItemOf<Schema, Filled>[]
          : Type extends "object"
            ? ObjectOf<Schema, Filled>
            : unknown;

type ItemOf<Schema, Filled extends boolean> = Schema extends { readonly items: infer Item }
  ? ValueOf<Item, Filled>
  : unknown;

type ObjectOf<Schema, Filled extends boolean> = Schema extends { readonly properties: infer Properties }
  ? Simplify<
      {
        readonly [Name in keyof Properties as RequiredName<Schema, Name, Properties[Name], Filled>]: ValueOf<
          Properties[Name],
          Filled
        >;
      } & {
        readonly [
          Name in keyof Properties as Exclude<Name, RequiredName<Schema, Name, Properties[Name], Filled>>
        ]?: ValueOf<Properties[Name], Filled>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Value }
    ? Value extends object
      ? Readonly<Record<string, ValueOf<Value, Filled>>>
      : Readonly<Record<string, unknown>>
    : Readonly<Record<string, unknown>>;

/** The name if the property is required, else never. */
type RequiredName<Schema, Name, Property, Filled extends boolean> = Schema extends {
  readonly required: readonly (infer Required)[];
}
  ? Name extends Required
    ? Name
    : DefaultedName<Name, Property, Filled>
  : DefaultedName<Name, Property, Filled>;

type DefaultedName<Name, Property, Filled extends boolean> = Filled extends true
  ? Property extends { readonly default: unknown }
    ? Name
    : never
  : never;

type Simplify<Type> = { [Name in keyof Type]: Type[Name] };
