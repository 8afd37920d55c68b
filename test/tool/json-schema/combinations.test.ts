/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { testSchemaTable } from "./schema-table.ts";

testSchemaTable("allOf, anyOf, oneOf, not", [
  ["allOf", { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2, "x"], [0, 4]],
  [
    "allOf beside other keywords",
    { properties: { a: {} }, required: ["a"], allOf: [{ required: ["b"] }] },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { b: 1 }],
  ],
  ["allOf with false", { allOf: [true, false] }, [], [1]],
  ["anyOf", { anyOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5, "x"], [1.5]],
  ["anyOf with true", { anyOf: [true, { type: "string" }] }, [1, "x"], []],
  ["anyOf with only false", { anyOf: [false, false] }, [], [1]],
  [
    "anyOf on top of a base",
    { type: "string", anyOf: [{ maxLength: 2 }, { minLength: 4 }] },
    ["ab", "abcd"],
    ["abc", 1],
  ],
  ["anyOf by type", { anyOf: [{ type: "string" }, { type: "null" }] }, ["x", null], [1, {}, undefined]],
  ["oneOf", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  ["oneOf with one true", { oneOf: [false, true, false] }, [1], []],
  ["oneOf with two true", { oneOf: [true, true] }, [], [1]],
  [
    "oneOf by required",
    { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    [{ a: 1 }, { b: 1 }],
    [{ a: 1, b: 1 }, {}],
  ],
  ["oneOf with an empty schema", { oneOf: [{ type: "number" }, {}] }, ["x"], [1]],
  ["not", { not: { type: "integer" } }, ["x", 1.5], [1]],
  ["not true", { not: true }, [], [1]],
  ["double not", { not: { not: { type: "string" } } }, ["x"], [1]],
  [
    "nested alternatives",
    { anyOf: [{ oneOf: [{ type: "null" }, { allOf: [{ type: "string" }, { minLength: 1 }] }] }] },
    [null, "a"],
    ["", 1],
  ],
]);

testSchemaTable("alternatives are not passed over wrongly", [
  [
    "by type in a reference",
    { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }], $defs: { a: { type: "string" } } },
    ["x", null],
    [1],
  ],
  ["by const and enum", { oneOf: [{ const: 1 }, { enum: ["a", null] }] }, [1, "a", null], [2, "b"]],
  ["integer const against a fraction", { anyOf: [{ const: 1 }, { type: "number", minimum: 5 }] }, [1, 5.5], [2, 1.5]],
  [
    "by nested anyOf",
    { anyOf: [{ anyOf: [{ type: "string" }, { type: "array" }] }, { type: "boolean" }] },
    ["x", [], true],
    [1, {}],
  ],
  [
    "by allOf",
    { anyOf: [{ allOf: [{ type: ["string", "number"] }, { type: ["number", "null"] }] }, false] },
    [1],
    ["x", null],
  ],
]);

testSchemaTable("if, then, else", [
  ["if and then", { if: { exclusiveMaximum: 0 }, then: { minimum: -10 } }, [-1, 100, "x"], [-100]],
  ["if and else", { if: { exclusiveMaximum: 0 }, else: { multipleOf: 2 } }, [-100, 4], [3]],
  ["all three", { if: { type: "string" }, then: { minLength: 2 }, else: { type: "null" } }, ["ab", null], ["a", 1]],
  ["then and else without if are ignored", { then: false, else: false }, [1, "x"], []],
  ["if alone asserts nothing", { if: false }, [1], []],
  ["if true", { if: true, then: { const: "then" }, else: { const: "else" } }, ["then"], ["else"]],
  ["if false", { if: false, then: { const: "then" }, else: { const: "else" } }, ["else"], ["then"]],
  [
    "conditions in allOf do not see each other",
    { allOf: [{ if: { exclusiveMaximum: 0 } }, { then: { minimum: -10 } }, { else: { multipleOf: 2 } }] },
    [-100, 3],
    [],
  ],
]);
