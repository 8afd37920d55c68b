/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { testSchemaTable } from "./schema-table.ts";

const draft07 = (schema: object) => ({ $schema: "http://json-schema.org/draft-07/schema#", ...schema });
const draft2019 = (schema: object) => ({ $schema: "https://json-schema.org/draft/2019-09/schema", ...schema });

testSchemaTable("draft-07", [
  ["definitions", draft07({ $ref: "#/definitions/a", definitions: { a: { type: "string" } } }), ["x"], [1]],
  [
    "a tuple in items",
    draft07({ items: [{ type: "integer" }, { type: "string" }] }),
    [[1, "x", null], [1], []],
    [["x"], [1, 1]],
  ],
  [
    "additionalItems after a tuple",
    draft07({ items: [{}], additionalItems: { type: "integer" } }),
    [["x", 1]],
    [[1, "x"]],
  ],
  ["additionalItems false", draft07({ items: [{}, {}], additionalItems: false }), [[1, 2]], [[1, 2, 3]]],
  ["additionalItems beside a single schema is ignored", draft07({ items: {}, additionalItems: false }), [[1, 2]], []],
  ["additionalItems alone is ignored", draft07({ additionalItems: false }), [[1]], []],
  ["an empty tuple", draft07({ items: [], additionalItems: { type: "string" } }), [["x"]], [[1]]],
  ["dependencies on names", draft07({ dependencies: { a: ["b"], c: [] } }), [{ a: 1, b: 1 }, { c: 1 }, {}], [{ a: 1 }]],
  [
    "dependencies on schemas",
    draft07({ dependencies: { a: { required: ["b"] }, c: false } }),
    [{ a: 1, b: 1 }, {}],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    "everything beside $ref is ignored",
    draft07({
      properties: { a: { $ref: "#/definitions/a", maxItems: 0, type: 7 } },
      definitions: { a: { type: "array" } },
    }),
    [{ a: [1] }],
    [{ a: 1 }],
  ],
  [
    "$id beside $ref is ignored",
    draft07({
      $id: "http://x.org/base/",
      allOf: [{ $id: "http://x.org/other/", $ref: "foo.json" }],
      definitions: {
        right: { $id: "http://x.org/base/foo.json", type: "number" },
        wrong: { $id: "http://x.org/other/foo.json", type: "string" },
      },
    }),
    [1],
    ["x"],
  ],
  [
    "a plain name in $id is an anchor",
    draft07({ $ref: "#foo", definitions: { a: { $id: "#foo", type: "integer" } } }),
    [1],
    ["x"],
  ],
  [
    "newer keywords are ignored",
    draft07({
      prefixItems: [false],
      unevaluatedProperties: false,
      unevaluatedItems: false,
      dependentRequired: { a: ["b"] },
      dependentSchemas: { a: false },
      minContains: 9,
      contains: true,
      $dynamicRef: "#nowhere",
      $anchor: 7,
    }),
    [[1], { a: 1 }],
    [[]],
  ],
  [
    "the rest is as usual",
    draft07({
      type: "object",
      properties: { a: { if: { type: "string" }, then: { minLength: 1 } } },
      propertyNames: { maxLength: 1 },
      additionalProperties: false,
    }),
    [{ a: "x" }, { a: 1 }],
    [{ a: "" }, { b: 1 }],
  ],
  [
    "the dialect without # and with https",
    { $schema: "https://json-schema.org/draft-07/schema", items: [true], additionalItems: false },
    [[1]],
    [[1, 2]],
  ],
]);

testSchemaTable("2019-09", [
  ["a tuple in items", draft2019({ items: [{ type: "integer" }], additionalItems: false }), [[1], []], [["x"], [1, 2]]],
  ["items as one schema", draft2019({ items: { type: "integer" } }), [[1, 2]], [["x"]]],
  [
    "$ref with siblings",
    draft2019({ $ref: "#/$defs/a", maxItems: 1, $defs: { a: { type: "array" } } }),
    [[1]],
    [[1, 2], 1],
  ],
  ["unevaluatedItems after a tuple", draft2019({ items: [true], unevaluatedItems: false }), [[1]], [[1, 2]]],
  [
    "unevaluatedItems after additionalItems",
    draft2019({ items: [true], additionalItems: true, unevaluatedItems: false }),
    [[1, 2]],
    [],
  ],
  [
    "contains does not evaluate items",
    draft2019({ contains: { type: "string" }, unevaluatedItems: false }),
    [],
    [["a"]],
  ],
  [
    "$recursiveRef without an anchor is a $ref",
    draft2019({ properties: { a: { $recursiveRef: "#" } }, additionalProperties: false }),
    [{ a: { a: {} } }],
    [{ a: { b: 1 } }],
  ],
  [
    "$recursiveRef goes to the outermost $recursiveAnchor",
    draft2019({
      $id: "http://x.org/strict",
      $recursiveAnchor: true,
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: "tree",
          $recursiveAnchor: true,
          properties: { data: true, children: { items: { $recursiveRef: "#" } } },
        },
      },
    }),
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [
    "$recursiveRef stays where the inner one has no anchor",
    draft2019({
      $id: "http://x.org/strict",
      $recursiveAnchor: true,
      $ref: "tree",
      $defs: {
        tree: { $id: "tree", properties: { n: { type: "integer" }, children: { items: { $recursiveRef: "#" } } } },
      },
      required: ["n"],
    }),
    [{ n: 1, children: [{}] }],
    [{ n: 1, children: [{ n: "x" }] }, {}],
  ],
]);

testSchemaTable("2020-12 and mixed documents", [
  [
    "named explicitly",
    { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [true], items: false },
    [[1]],
    [[1, 2]],
  ],
  ["draft-07 words mean nothing", { additionalItems: false, dependencies: { a: ["b"] } }, [[1], { a: 1 }], []],
  [
    "an embedded resource may have its own dialect",
    {
      $ref: "old",
      $defs: {
        a: {
          $id: "old",
          $schema: "http://json-schema.org/draft-07/schema#",
          items: [{ type: "string" }],
          additionalItems: false,
        },
      },
    },
    [["x"]],
    [[1], ["x", 1]],
  ],
  [
    "and it ends with the resource",
    {
      properties: {
        a: { $id: "old", $schema: "http://json-schema.org/draft-07/schema#", prefixItems: [false] },
        b: { prefixItems: [false] },
      },
    },
    [{ a: [1] }],
    [{ b: [1] }],
  ],
]);
