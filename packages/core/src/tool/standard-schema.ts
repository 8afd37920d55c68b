/**
 * The part of the Standard Schema contract that Biplane reads (https://standardschema.dev):
 * validation, the inferred types, and the schema's own rendering as JSON Schema.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}
