import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import { fitsNaively } from "./naive-validator.ts";
import { nearValue } from "./near-value.ts";
import { randomSchemas, type SchemaObject } from "./random-schema.ts";

const VALUES_PER_SCHEMA = 12;
const unevaluated = ["unevaluatedProperties", "unevaluatedItems"];

describe("random schemas and values near them are judged", () => {
  // ajv accepts [] for `contains` beside `prefixItems`, [[{ a: 1 }]] for `contains` with `propertyNames: false`, and
  // [[null], []] for `contains` within `items`.
  it("as ajv judges them, without contains", () => {
    const counts = countAgreements(randomSchemas([...unevaluated, "contains"]), (schema) => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, meta: false });
      // Its book-keeping for `unevaluated…` has faults that show up in other keywords too.
      ajv.opts.unevaluated = false;
      const validate = ajv.compile(schema);
      return (value) => validate(value);
    });
    expect(Math.min(counts.fitting, counts.failing)).toBeGreaterThan(300);
  });

  it("as the specification judges them, with all keywords", () => {
    const counts = countAgreements(randomSchemas(), (schema) => (value) => fitsNaively(schema, value));
    expect(Math.min(counts.fitting, counts.failing)).toBeGreaterThan(300);
  });

  it("as the specification judges them, where unevaluated keywords abound", () => {
    const rest = fc.constantFrom<SchemaObject>(
      { unevaluatedProperties: false },
      { unevaluatedItems: false },
      { unevaluatedProperties: { type: "integer" }, unevaluatedItems: { type: "string" } },
    );
    const schemas = fc.tuple(randomSchemas(), rest).map(([schema, keywords]) => ({ ...schema, ...keywords }));
    const counts = countAgreements(schemas, (schema) => (value) => fitsNaively(schema, value));
    expect(Math.min(counts.fitting, counts.failing)).toBeGreaterThan(300);
  });
});

type Judge = (value: unknown) => boolean;

/** Fails at the first disagreement, else tells how many values were judged fitting and failing. */
function countAgreements(schemas: fc.Arbitrary<SchemaObject>, judgeOf: (schema: SchemaObject) => Judge) {
  const counts = { fitting: 0, failing: 0 };
  fc.assert(
    fc.property(schemas, fc.integer(), (schema, seed) => {
      const check = compileUnlessLooping(schema);
      fc.pre(check !== undefined);
      const judge = judgeOf(schema);
      for (let index = 0; index < VALUES_PER_SCHEMA; index++) {
        const value = nearValue(schema, seed + index);
        const fault = check(value);
        const isValid = judge(value);
        counts[isValid ? "fitting" : "failing"]++;
        expect({ value, isValid: fault === undefined, fault }).toEqual({ value, isValid, fault });
      }
    }),
    { numRuns: 350 },
  );
  return counts;
}

/** A random reference may run in a circle, which others only notice when the stack is full. */
function compileUnlessLooping(schema: SchemaObject) {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (String(error).includes("refers to itself for the same value")) return undefined;
    throw error;
  }
}
