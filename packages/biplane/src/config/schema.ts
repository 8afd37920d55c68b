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
  /** `path`: relative to the folder of the file. */
  readonly format?: string;
  /** Never shown. */
  readonly writeOnly?: boolean;
  /** What `pattern` requires, in words: "sha256: and 64 hex digits". */
  readonly means?: string;
  /** The environment variable that overrides the file. */
  readonly environment?: string;
  /** Old names of the key and its environment variable, which still work. */
  readonly former?: { readonly key: string; readonly environment: string };
}

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
