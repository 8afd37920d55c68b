/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";

const weather: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    count: { type: "integer", minimum: 1, maximum: 10 },
    units: { enum: ["metric", "imperial"] },
    stops: {
      type: "array",
      maxItems: 3,
      items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
  required: ["city"],
  additionalProperties: false,
};
const shape: JsonSchema = {
  oneOf: [
    { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
    { $ref: "#/$defs/rect" },
    { type: "null" },
  ],
  $defs: {
    rect: { type: "object", properties: { kind: { const: "rect" }, w: { type: "number" } }, required: ["kind", "w"] },
  },
};

const rows: [JsonSchema, unknown, string, string][] = [
  [weather, [], "", "must be object, got array"],
  [weather, {}, "", "must have property 'city'"],
  [weather, { city: "Bern", citty: 1 }, "", "has unknown property 'citty'"],
  [weather, { city: "" }, "/city", "must have at least 1 character"],
  [weather, { city: "Bern", count: "3" }, "/count", "must be integer, got string"],
  [weather, { city: "Bern", count: 1.5 }, "/count", "must be integer, got number"],
  [weather, { city: "Bern", count: 11 }, "/count", "must be at least 1 and at most 10, got 11"],
  [weather, { city: "Bern", units: "kelvin" }, "/units", 'must be one of "metric", "imperial"'],
  [weather, { city: "Bern", stops: [{ name: "a" }, {}] }, "/stops/1", "must have property 'name'"],
  [weather, { city: "Bern", stops: [{ name: null }] }, "/stops/0/name", "must be string, got null"],
  [weather, { city: "Bern", stops: [1, 2, 3, 4] }, "/stops", "must have at most 3 items, got 4"],
  [{ additionalProperties: { type: "number" } }, { "a/b~c": "x" }, "/a~1b~0c", "must be number, got string"],
  [{ const: { a: 1 } }, 1, "", 'must be {"a":1}'],
  [
    { enum: Array.from({ length: 12 }, (_, index) => index) },
    99,
    "",
    "must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more",
  ],
  [{ type: ["string", "null"] }, 1, "", "must be string or null, got number"],
  [{ type: "number" }, NaN, "", "must be number, got NaN"],
  [{ exclusiveMinimum: 0 }, 0, "", "must be greater than 0, got 0"],
  [{ multipleOf: 0.5 }, 0.7, "", "must be a multiple of 0.5, got 0.7"],
  [{ pattern: "^a+$" }, "b", "", "must match the pattern ^a+$"],
  [{ maxLength: 2 }, "abc", "", "must have at most 2 characters"],
  [{ minItems: 2 }, [1], "", "must have at least 2 items, got 1"],
  [{ prefixItems: [true], items: false }, [1, 2], "", "must have at most 1 item"],
  [{ contains: { const: 1 } }, [2], "", 'must have at least 1 item matching "contains", got 0'],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], "", 'must have at most 1 item matching "contains"'],
  [{ uniqueItems: true }, [1, { a: 1 }, 2, { a: 1 }], "", "must not have equal items, but items 1 and 3 are equal"],
  [{ minProperties: 2 }, { a: 1 }, "", "must have at least 2 properties, got 1"],
  [
    { propertyNames: { maxLength: 2 } },
    { abc: 1 },
    "",
    "has property name 'abc', which must have at most 2 characters",
  ],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "", "must have property 'b' because it has 'a'"],
  [{ not: { type: "null" } }, null, "", 'must not match {"type":"null"}'],
  [{ properties: { a: false } }, { a: 1 }, "/a", "is not allowed"],
  [{ unevaluatedProperties: false }, { a: 1 }, "", "has unknown property 'a'"],
  [{ unevaluatedItems: false }, [1], "", "has an unexpected item at index 0"],
  [{ if: { type: "string" }, then: { minLength: 2 } }, "a", "", "must have at least 2 characters"],
  [
    { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { items: { type: "null" } } } },
    { a: [null, 1] },
    "/a/1",
    "must be null, got number",
  ],
];

describe("a fault says what to correct", () => {
  it.each(rows)("%j with %j", (schema, value, path, message) => {
    expect(compileSchema(schema)(value)).toEqual({ path, message });
  });

  it("clips names and values that are long", () => {
    const long = "x".repeat(1000);
    expect(compileSchema({ additionalProperties: false })({ [long]: 1 })?.message.length).toBeLessThan(100);
    expect(compileSchema({ const: long })(1)?.message.length).toBeLessThan(120);
    expect(compileSchema({ not: { enum: [long] } })(long)?.message.length).toBeLessThan(120);
  });
});

const unions: [string, JsonSchema, unknown, string, string][] = [
  [
    "no alternative for the type",
    { anyOf: [{ type: "string" }, { type: "array" }] },
    1,
    "",
    "must be string or array, got number",
  ],
  [
    "one alternative for the type",
    { anyOf: [{ type: "string", minLength: 2 }, { type: "null" }] },
    "a",
    "",
    "must have at least 2 characters",
  ],
  ["the alternative that the tag names", shape, { kind: "rect", w: "x" }, "/w", "must be number, got string"],
  [
    "the alternative that the tag names, with a property missing",
    shape,
    { kind: "circle" },
    "",
    "must have property 'r'",
  ],
  ["a tag that none has", shape, { kind: "square" }, "/kind", 'must be one of "circle", "rect"'],
  ["no tag at all", shape, {}, "", "must have property 'kind'"],
  [
    "the alternative that went deepest",
    { anyOf: [{ properties: { a: { type: "string" } } }, { required: ["b"] }] },
    { a: 1 },
    "/a",
    "must be string, got number",
  ],
  [
    "all alternatives when none stands out",
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    "",
    "must match one of 2 alternatives: must have property 'a'; must have property 'b'",
  ],
  [
    "several places",
    { anyOf: [{ properties: { a: { type: "null" } } }, { properties: { b: { type: "null" } } }] },
    { a: 1, b: 1 },
    "",
    "must match one of 2 alternatives: /a must be null, got number; /b must be null, got number",
  ],
  [
    "more than one match",
    { oneOf: [{ minimum: 1 }, { type: "null" }, { minimum: 2 }] },
    3,
    "",
    "must match exactly one alternative, but matches alternatives 1 and 3",
  ],
  ["only false", { anyOf: [false, false] }, 1, "", "is not allowed"],
];

describe("a union that fails tells", () => {
  it.each(unions)("%s", (_name, schema, value, path, message) => {
    expect(compileSchema(schema)(value)).toEqual({ path, message });
  });

  it("a few of many alternatives", () => {
    const anyOf = Array.from({ length: 40 }, (_, index) => ({ required: [`property${index}`] }));
    expect(compileSchema({ anyOf })({})?.message).toBe(
      "must match one of 40 alternatives: must have property 'property0'; must have property 'property1'; must have property 'property2'; …",
    );
  });
});
