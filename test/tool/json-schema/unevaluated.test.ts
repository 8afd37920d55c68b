/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { testSchemaTable } from "./schema-table.ts";

testSchemaTable("unevaluatedProperties", [
  [
    "true, false and a schema",
    { allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: { type: "string" } },
    [{}, { a: 1 }, []],
    [],
  ],
  ["false alone", { unevaluatedProperties: false }, [{}, [], 1], [{ a: 1 }]],
  ["a schema alone", { unevaluatedProperties: { minLength: 3 } }, [{ a: "abc" }], [{ a: "ab" }]],
  ["adjacent properties", { properties: { a: {} }, unevaluatedProperties: false }, [{ a: 1 }], [{ a: 1, b: 1 }]],
  [
    "adjacent patternProperties",
    { patternProperties: { "^a": {} }, unevaluatedProperties: false },
    [{ ab: 1 }],
    [{ ba: 1 }],
  ],
  ["adjacent additionalProperties", { additionalProperties: true, unevaluatedProperties: false }, [{ a: 1 }], []],
  [
    "nested properties",
    { allOf: [{ properties: { b: {} } }], properties: { a: {} }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
  ],
  [
    "nested additionalProperties",
    { allOf: [{ additionalProperties: true }], unevaluatedProperties: false },
    [{ a: 1 }],
    [],
  ],
  [
    "anyOf: every branch that fits counts",
    {
      properties: { a: {} },
      anyOf: [
        { properties: { b: { const: 1 } }, required: ["b"] },
        { properties: { c: { const: 1 } }, required: ["c"] },
      ],
      unevaluatedProperties: false,
    },
    [
      { a: 1, b: 1 },
      { a: 1, b: 1, c: 1 },
    ],
    [
      { a: 1, b: 1, c: 2 },
      { a: 1, b: 1, d: 1 },
    ],
  ],
  [
    "oneOf",
    {
      oneOf: [
        { properties: { b: { const: 1 } }, required: ["b"] },
        { properties: { c: { const: 1 } }, required: ["c"] },
      ],
      unevaluatedProperties: false,
    },
    [{ b: 1 }],
    [
      { b: 1, d: 1 },
      { b: 1, c: 2 },
    ],
  ],
  [
    "not never counts",
    { not: { not: { properties: { b: { const: 1 } }, required: ["b"] } }, unevaluatedProperties: false },
    [],
    [{ b: 1 }],
  ],
  [
    "if and then",
    {
      if: { properties: { a: { const: 1 } }, required: ["a"] },
      then: { properties: { b: {} } },
      else: { properties: { c: {} } },
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1 }, { c: 1 }, {}],
    [{ a: 1, c: 1 }, { a: 2 }, { b: 1 }],
  ],
  [
    "if alone counts when it fits",
    { if: { patternProperties: { foo: { type: "string" } } }, unevaluatedProperties: false },
    [{ foo: "x" }],
    [{ foo: 1 }, { bar: 1 }],
  ],
  [
    "dependentSchemas",
    { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }],
    [{ b: 1 }],
  ],
  [
    "$ref",
    { $ref: "#/$defs/x", properties: { a: {} }, unevaluatedProperties: false, $defs: { x: { properties: { b: {} } } } },
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
  ],
  [
    "$dynamicRef",
    {
      $id: "http://x.org/derived",
      $ref: "base",
      $defs: {
        d: { $dynamicAnchor: "addons", properties: { b: {} } },
        base: {
          $id: "base",
          $dynamicRef: "#addons",
          properties: { a: {} },
          unevaluatedProperties: false,
          $defs: { d: { $dynamicAnchor: "addons" } },
        },
      },
    },
    [{ a: 1, b: 1 }],
    [{ a: 1, b: 1, c: 1 }],
  ],
  [
    "it cannot see its cousins",
    { allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }] },
    [{}],
    [{ a: 1 }],
  ],
  [
    "a reference does not see its neighbours",
    { $ref: "#/$defs/A", properties: { a: {} }, $defs: { A: { unevaluatedProperties: false } } },
    [{}],
    [{ a: 1 }],
  ],
  [
    "an inner unevaluatedProperties counts for the outer",
    { allOf: [{ properties: { a: {} }, unevaluatedProperties: { type: "number" } }], unevaluatedProperties: false },
    [{ a: "x", b: 1 }],
    [{ b: "x" }],
  ],
  [
    "an inner unevaluatedItems does not",
    { allOf: [{ unevaluatedItems: true }], unevaluatedProperties: false },
    [{}, [1]],
    [{ a: 1 }],
  ],
  [
    "properties of members do not count",
    { properties: { a: { properties: { b: {} } } }, unevaluatedProperties: false },
    [{ a: { b: 1, c: 1 } }],
    [{ b: 1 }],
  ],
  [
    "propertyNames and required do not count",
    { propertyNames: true, required: ["a"], unevaluatedProperties: false },
    [],
    [{ a: 1 }],
  ],
  [
    "recursion",
    {
      type: "object",
      properties: { next: { $ref: "#" } },
      allOf: [{ properties: { name: {} } }],
      unevaluatedProperties: false,
    },
    [{ name: 1, next: { name: 1, next: {} } }],
    [{ next: { nmae: 1 } }],
  ],
  [
    "failed alternatives inside a fitting one do not count",
    {
      anyOf: [{ anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} } }] }],
      unevaluatedProperties: false,
    },
    [{ a: "x", b: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
  ],
]);

testSchemaTable("unevaluatedItems", [
  [
    "a failed branch beside true does not count",
    { anyOf: [{ prefixItems: [{ type: "string" }] }, true], unevaluatedItems: false },
    [["a"], []],
    [[1], [1, 2], ["a", "b"]],
  ],
  ["false alone", { unevaluatedItems: false }, [[], {}, "x"], [[1]]],
  ["a schema alone", { unevaluatedItems: { type: "string" } }, [["x"]], [[1]]],
  ["items evaluate all", { items: { type: "string" }, unevaluatedItems: false }, [["a", "b"]], [[1]]],
  ["prefixItems", { prefixItems: [{ type: "string" }], unevaluatedItems: false }, [["a"], []], [["a", "b"]]],
  [
    "nested prefixItems",
    { prefixItems: [true], allOf: [{ prefixItems: [true, { type: "number" }] }], unevaluatedItems: false },
    [["a", 1]],
    [["a", 1, 2]],
  ],
  [
    "nested items in anyOf",
    { anyOf: [{ items: { type: "string" } }, true], unevaluatedItems: { type: "boolean" } },
    [
      [true, false],
      ["a", "b"],
    ],
    [["a", true]],
  ],
  [
    "anyOf: every branch that fits counts",
    {
      anyOf: [{ prefixItems: [true, { const: "b" }] }, { prefixItems: [true, true, { const: "c" }] }],
      unevaluatedItems: false,
    },
    [
      ["a", "b"],
      ["a", "b", "c"],
    ],
    [
      ["a", "b", "x"],
      ["a", "b", "c", "d"],
    ],
  ],
  [
    "if, then, else",
    {
      prefixItems: [true],
      if: { prefixItems: [true, { const: "b" }] },
      then: { prefixItems: [true, true, true] },
      else: { prefixItems: [true, true] },
      unevaluatedItems: false,
    },
    [
      ["a", "b", 1],
      ["a", "x"],
    ],
    [
      ["a", "b", 1, 2],
      ["a", "x", 1],
    ],
  ],
  [
    "not never counts",
    { not: { not: { prefixItems: [true, { const: "b" }] } }, prefixItems: [true], unevaluatedItems: false },
    [["a"]],
    [["a", "b"]],
  ],
  [
    "contains counts for the items that fit it",
    { contains: { multipleOf: 2 }, unevaluatedItems: { multipleOf: 3 } },
    [[2, 3, 4, 6]],
    [
      [2, 5],
      [3, 9],
    ],
  ],
  [
    "contains in parts",
    { allOf: [{ contains: { multipleOf: 2 } }, { contains: { multipleOf: 3 } }], unevaluatedItems: { multipleOf: 5 } },
    [[2, 3, 4, 5, 6]],
    [
      [2, 3, 7],
      [5, 10],
    ],
  ],
  [
    "minContains 0 still counts",
    { contains: { type: "string" }, minContains: 0, unevaluatedItems: false },
    [[], ["a"], ["a", "b"]],
    [[0], ["a", 0]],
  ],
  [
    "contains in if chooses",
    { if: { contains: { const: "a" } }, then: { if: { contains: { const: "b" } } }, unevaluatedItems: false },
    [[], ["a", "a"], ["a", "b", "a"]],
    [
      ["b", "b"],
      ["a", "c"],
    ],
  ],
  [
    "an inner unevaluatedItems counts for the outer",
    { allOf: [{ prefixItems: [true] }, { unevaluatedItems: true }], unevaluatedItems: false },
    [["a", 1]],
    [],
  ],
  ["it cannot see its cousins", { allOf: [{ prefixItems: [true] }, { unevaluatedItems: false }] }, [[]], [[1]]],
  [
    "$ref",
    { $ref: "#/$defs/x", prefixItems: [true], unevaluatedItems: false, $defs: { x: { prefixItems: [true, true] } } },
    [[1, 2]],
    [[1, 2, 3]],
  ],
  [
    "objects are left alone",
    { unevaluatedItems: false, unevaluatedProperties: false, properties: { a: {} }, prefixItems: [true] },
    [{ a: 1 }, [1]],
    [{ b: 1 }, [1, 2]],
  ],
]);
