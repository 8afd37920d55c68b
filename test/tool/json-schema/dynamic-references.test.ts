/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { testSchemaTable } from "./schema-table.ts";

const listOf = (item: object) => ({ $id: "list", type: "array", items: { $dynamicRef: "#item" }, $defs: { d: item } });

testSchemaTable("$dynamicRef", [
  [
    "in one resource it is a $ref",
    { items: { $dynamicRef: "#item" }, $defs: { a: { $dynamicAnchor: "item", type: "string" } } },
    [["x"]],
    [[1]],
  ],
  [
    "to a plain anchor it is a $ref",
    { items: { $dynamicRef: "#item" }, $defs: { a: { $anchor: "item", type: "string" } } },
    [["x"]],
    [[1]],
  ],
  [
    "a $ref to a dynamic anchor stays where it is",
    {
      $ref: "list",
      $defs: {
        a: { $dynamicAnchor: "item", type: "string" },
        list: { $id: "list", items: { $ref: "#item" }, $defs: { d: { $dynamicAnchor: "item" } } },
      },
    },
    [[1], ["x"]],
    [],
  ],
  [
    "the outermost resource with the anchor wins",
    {
      $ref: "list",
      $defs: { a: { $dynamicAnchor: "item", type: "string" }, list: listOf({ $dynamicAnchor: "item" }) },
    },
    [["x"], []],
    [[1], 1],
  ],
  [
    "also through resources without the anchor",
    {
      $ref: "mid",
      $defs: {
        a: { $dynamicAnchor: "item", type: "string" },
        mid: { $id: "mid", $ref: "list" },
        list: listOf({ $dynamicAnchor: "item" }),
      },
    },
    [["x"]],
    [[1]],
  ],
  [
    "plain anchors outside do not count",
    { $ref: "list", $defs: { a: { $anchor: "item", type: "string" }, list: listOf({ $dynamicAnchor: "item" }) } },
    [["x", 1]],
    [],
  ],
  [
    "without a dynamic anchor at home it is a $ref",
    { $ref: "list", $defs: { a: { $dynamicAnchor: "item", type: "string" }, list: listOf({ $anchor: "item" }) } },
    [["x", 1]],
    [],
  ],
  [
    "a pointer fragment makes it a $ref",
    {
      $ref: "list",
      $defs: {
        a: { $dynamicAnchor: "item", type: "string" },
        list: {
          $id: "list",
          items: { $dynamicRef: "#/$defs/d" },
          $defs: { d: { $dynamicAnchor: "item", type: "number" } },
        },
      },
    },
    [[1]],
    [["x"]],
  ],
  [
    "the way of the check decides",
    {
      if: { required: ["numbers"] },
      then: { $ref: "numberList" },
      else: { $ref: "stringList" },
      $defs: {
        generic: {
          $id: "generic",
          properties: { list: { items: { $dynamicRef: "#item" } } },
          $defs: { d: { $dynamicAnchor: "item" } },
        },
        n: { $id: "numberList", $ref: "generic", $defs: { i: { $dynamicAnchor: "item", type: "number" } } },
        s: { $id: "stringList", $ref: "generic", $defs: { i: { $dynamicAnchor: "item", type: "string" } } },
      },
    },
    [{ numbers: 1, list: [1] }, { list: ["x"] }],
    [{ numbers: 1, list: ["x"] }, { list: [1] }],
  ],
  [
    "resources that were left do not count",
    {
      if: { $id: "first", $defs: { t: { $dynamicAnchor: "thing", type: "string" } } },
      then: { $id: "second", $ref: "third", $defs: { t: { $dynamicAnchor: "thing", type: "null" } } },
      $defs: {
        third: { $id: "third", $dynamicRef: "#thing", $defs: { t: { $dynamicAnchor: "thing", type: "number" } } },
      },
    },
    [null],
    ["x", 1],
  ],
  [
    "a resource that only contains the target does not count",
    {
      properties: { a: { $ref: "item" } },
      $defs: {
        bar: {
          $id: "bar",
          $defs: {
            item: {
              $id: "item",
              properties: { content: { $dynamicRef: "#content" } },
              $defs: { d: { $dynamicAnchor: "content", type: "integer" } },
            },
            content: { $dynamicAnchor: "content", type: "string" },
          },
        },
      },
    },
    [{ a: { content: 1 } }],
    [{ a: { content: "x" } }],
  ],
  [
    "a strict tree extends a tree",
    {
      $id: "http://x.org/strict",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: "tree",
          $dynamicAnchor: "node",
          type: "object",
          properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
        },
      },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }, { daat: 1 }],
  ],
  [
    "from another resource by URI",
    {
      $id: "http://x.org/root",
      $dynamicAnchor: "meta",
      properties: { foo: { const: "pass" } },
      $ref: "extended",
      $defs: {
        e: { $id: "extended", $dynamicAnchor: "meta", properties: { bar: { $ref: "bar" } } },
        b: { $id: "bar", properties: { baz: { $dynamicRef: "extended#meta" } } },
      },
    },
    [{ foo: "pass", bar: { baz: { foo: "pass" } } }],
    [{ foo: "pass", bar: { baz: { foo: "fail" } } }],
  ],
]);
