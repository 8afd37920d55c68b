/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import * as fc from "fast-check";
import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";

export type SchemaObject = Record<string, unknown>;

const names = fc.constantFrom("a", "b", "ab", "c");
const scalars = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 1.5, "", "a", "ab", "💩", "b");
const smallValues = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(names, scalars, { maxKeys: 2, noNullPrototype: true }) },
);
const types = fc.constantFrom("null", "boolean", "string", "number", "integer", "array", "object");
const counts = fc.integer({ min: 0, max: 3 });
const patterns = fc.constantFrom("^a", "b$", "^.$", "a|c");

/** Random 2020-12 schemas over a small vocabulary, so that keywords meet. They use no keyword of `without`. */
export function randomSchemas(without: readonly string[] = []): fc.Arbitrary<SchemaObject> {
  const { inner } = fc.letrec<{ inner: JsonSchema }>((tie) => {
    const schema = tie("inner");
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(names, schema, { maxKeys: 3, noNullPrototype: true });
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(smallValues, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
      const: smallValues,
      minimum: counts,
      maximum: counts,
      exclusiveMinimum: counts,
      exclusiveMaximum: counts,
      multipleOf: fc.constantFrom(1, 2, 3),
      minLength: counts,
      maxLength: counts,
      pattern: patterns,
      minItems: counts,
      maxItems: counts,
      uniqueItems: fc.boolean(),
      items: schema,
      minProperties: counts,
      maxProperties: counts,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      properties: map,
      patternProperties: fc.dictionary(patterns, schema, { maxKeys: 2, noNullPrototype: true }),
      additionalProperties: schema,
      propertyNames: schema,
      dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      dependentSchemas: map,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: schema,
      $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#"),
      prefixItems: list,
      contains: schema,
      minContains: counts,
      maxContains: counts,
      if: schema,
      then: schema,
      else: schema,
      unevaluatedProperties: schema,
      unevaluatedItems: schema,
    };
    const wanted = Object.keys(keywords).filter((keyword) => !without.includes(keyword));
    const entry = fc
      .constantFrom(...wanted)
      .chain((keyword) => (keywords[keyword] ?? fc.constant(true)).map((value): [string, unknown] => [keyword, value]));
    const object = fc.array(entry, { maxLength: 4 }).map((entries): SchemaObject => Object.fromEntries(entries));
    return { inner: fc.oneof({ maxDepth: 4, depthIdentifier: "schema" }, fc.boolean(), object) };
  });
  const objects = inner.filter((schema) => typeof schema !== "boolean");
  return fc.tuple(objects, inner, inner).map(([root, a, b]) => ({ ...root, $defs: { a, b } }));
}
