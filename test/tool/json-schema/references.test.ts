import { testSchemaTable } from "./schema-table.ts";

testSchemaTable("$ref within one resource", [
  [
    "to the root, recursively",
    { properties: { next: { $ref: "#" } }, additionalProperties: false },
    [{}, { next: { next: {} } }],
    [{ prev: 1 }, { next: { prev: 1 } }],
  ],
  ["to $defs", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, ["x"], [1]],
  [
    "to definitions, which older schemas still use",
    { $ref: "#/definitions/a", definitions: { a: { type: "string" } } },
    ["x"],
    [1],
  ],
  [
    "through other references",
    { $ref: "#/$defs/c", $defs: { a: { type: "integer" }, b: { $ref: "#/$defs/a" }, c: { $ref: "#/$defs/b" } } },
    [1],
    ["x"],
  ],
  [
    "to another property",
    { properties: { a: { type: "integer" }, b: { $ref: "#/properties/a" } } },
    [{ b: 1 }],
    [{ b: "x" }],
  ],
  ["to an item of a list", { prefixItems: [{ type: "integer" }, { $ref: "#/prefixItems/0" }] }, [[1, 2]], [[1, "x"]]],
  [
    "with siblings that count too",
    { $ref: "#/$defs/a", maxItems: 1, $defs: { a: { type: "array" } } },
    [[]],
    [[1, 2], "x"],
  ],
  [
    "with escaped names",
    {
      properties: {
        tilde: { $ref: "#/$defs/a~0b" },
        slash: { $ref: "#/$defs/a~1b" },
        percent: { $ref: "#/$defs/a%25b" },
        quote: { $ref: "#/$defs/a%22b" },
        both: { $ref: "#/$defs/~01" },
      },
      $defs: {
        "a~b": { type: "integer" },
        "a/b": { type: "integer" },
        "a%b": { type: "integer" },
        'a"b': { type: "integer" },
        "~1": { type: "integer" },
      },
    },
    [{ tilde: 1, slash: 1, percent: 1, quote: 1, both: 1 }],
    [{ tilde: "" }, { slash: "" }, { percent: "" }, { quote: "" }, { both: "" }],
  ],
  ["to an empty name", { $ref: "#/$defs//$defs/", $defs: { "": { $defs: { "": { type: "number" } } } } }, [1], ["x"]],
  [
    "to boolean schemas",
    { properties: { a: { $ref: "#/$defs/yes" }, b: { $ref: "#/$defs/no" } }, $defs: { yes: true, no: false } },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  [
    "into a keyword that is not ours",
    {
      $ref: "#/components/schemas/City",
      components: {
        schemas: {
          City: { type: "object", properties: { name: { $ref: "#/components/schemas/Name" } } },
          Name: { type: "string" },
        },
      },
    },
    [{ name: "x" }],
    [{ name: 1 }, 1],
  ],
  [
    "into an unknown keyword, inner part first",
    {
      allOf: [{ $ref: "#/x/a/items" }, { $ref: "#/x/a" }],
      x: { a: { type: ["array", "string"], items: { type: "string" } } },
    },
    ["x"],
    [[1], ["x"], 1],
  ],
  ["a property that is called $ref", { properties: { $ref: { type: "string" } } }, [{ $ref: "a" }], [{ $ref: 1 }]],
  [
    "a property called $ref that holds one",
    { properties: { $ref: { $ref: "#/$defs/s" } }, $defs: { s: { type: "string" } } },
    [{ $ref: "a" }],
    [{ $ref: 1 }],
  ],
  ["no reference inside enum or const", { enum: [{ $ref: "#/nowhere" }] }, [{ $ref: "#/nowhere" }], ["x"]],
  [
    "mutual recursion",
    {
      $ref: "#/$defs/tree",
      $defs: {
        tree: { type: "object", properties: { nodes: { items: { $ref: "#/$defs/node" } } } },
        node: { required: ["value"], properties: { value: { type: "number" }, subtree: { $ref: "#/$defs/tree" } } },
      },
    },
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: 2 }] } }] }],
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: "x" }] } }] }, { nodes: [{}] }],
  ],
]);

testSchemaTable("$anchor and $id", [
  ["an anchor", { $ref: "#here", $defs: { a: { $anchor: "here", type: "integer" } } }, [1], ["x"]],
  [
    "an anchor and a pointer lead to the same place",
    { allOf: [{ $ref: "#here" }, { $ref: "#/$defs/a" }], $defs: { a: { $anchor: "here", type: "integer" } } },
    [1],
    ["x"],
  ],
  [
    "the same anchor in another resource is another anchor",
    {
      $id: "http://x.org/root",
      $ref: "#a",
      $defs: {
        inner: { $id: "inner", $defs: { x: { $anchor: "a", type: "string" } } },
        outer: { $anchor: "a", type: "integer" },
      },
    },
    [1],
    ["x"],
  ],
  [
    "an anchor by absolute URI",
    { $id: "http://x.org/base", $ref: "http://x.org/base#foo", $defs: { a: { $anchor: "foo", type: "integer" } } },
    [1],
    ["x"],
  ],
  [
    "an embedded resource by relative URI",
    {
      $id: "http://x.org/a/root.json",
      items: { $ref: "item.json" },
      $defs: { i: { $id: "item.json", type: "integer" } },
    },
    [[1]],
    [["x"]],
  ],
  [
    "an embedded resource without a root $id",
    { items: { $ref: "item" }, $defs: { i: { $id: "item", type: "integer" } } },
    [[1]],
    [["x"]],
  ],
  [
    "an embedded resource by absolute URI",
    { $ref: "https://else.org/thing", $defs: { i: { $id: "https://else.org/thing", type: "integer" } } },
    [1],
    ["x"],
  ],
  [
    "# in an embedded resource is that resource",
    { properties: { list: { $id: "list", type: ["object", "null"], properties: { next: { $ref: "#" } } } } },
    [{ list: { next: { next: null } } }, { list: { list: 1 } }],
    [{ list: { next: 1 } }],
  ],
  [
    "a pointer within an embedded resource",
    { $ref: "inner#/$defs/x", $defs: { i: { $id: "inner", $defs: { x: { type: "integer" } } } } },
    [1],
    ["x"],
  ],
  [
    "base URIs nest",
    {
      $id: "http://x.org/",
      items: { $id: "folder/", items: { $ref: "item.json" } },
      $defs: { i: { $id: "folder/item.json", type: "integer" } },
    },
    [[[1]]],
    [[["x"]]],
  ],
  [
    "URNs",
    {
      $id: "urn:uuid:deadbeef-1234",
      properties: { a: { $ref: "urn:uuid:deadbeef-1234#/$defs/b" }, b: { $ref: "#named" } },
      $defs: { b: { type: "string" }, c: { $anchor: "named", type: "null" } },
    },
    [{ a: "x", b: null }],
    [{ a: 1 }, { b: 1 }],
  ],
  [
    "$id is normalised",
    { $ref: "HTTP://X.org/a/../b", $defs: { i: { $id: "http://x.org/b", type: "integer" } } },
    [1],
    ["x"],
  ],
  [
    "an empty fragment in $id",
    { $id: "http://x.org/r#", properties: { a: { $ref: "http://x.org/r" } }, type: "object" },
    [{ a: {} }],
    [{ a: 1 }],
  ],
  [
    "$id and $anchor inside enum and const are data",
    { anyOf: [{ enum: [{ $id: "x", $anchor: "!" }] }, { $ref: "x" }], $defs: { a: { $id: "x", type: "null" } } },
    [null, { $id: "x", $anchor: "!" }],
    [1],
  ],
  [
    "$id inside an unknown keyword names nothing",
    { $ref: "x", unknown: { $id: "x", type: "string" }, $defs: { a: { $id: "x", type: "null" } } },
    [null],
    ["x"],
  ],
  [
    "equal copies of a resource",
    { properties: { a: { $id: "p", type: "string" }, b: { $id: "p", type: "string" }, c: { $ref: "p" } } },
    [{ a: "", b: "", c: "" }],
    [{ c: 1 }, { b: 1 }],
  ],
]);
