import { testSchemaTable } from "./schema-table.ts";

const parse = (text: string): unknown => JSON.parse(text);

testSchemaTable("items", [
  ["a schema for all items", { items: { type: "integer" } }, [[], [1, 2], "x", {}], [[1, "x"], [null]]],
  ["items false allows only the empty array", { items: false }, [[]], [[1], [undefined]]],
  ["items true", { items: true }, [[], [1]], []],
  [
    "prefixItems go by place",
    { prefixItems: [{ type: "integer" }, { type: "string" }] },
    [[], [1], [1, "a"], [1, "a", null]],
    [["a"], [1, 2]],
  ],
  [
    "items after prefixItems",
    { prefixItems: [true], items: { type: "string" } },
    [[1], [1, "a"]],
    [
      [1, 2],
      ["a", "b", 3],
    ],
  ],
  ["a closed tuple", { prefixItems: [true, true], items: false }, [[], [1], [1, 2]], [[1, 2, 3]]],
  ["nested items", { items: { items: { type: "number" } } }, [[[1], []], ["x"]], [[["x"]]]],
  ["prefixItems with false", { prefixItems: [true, false] }, [[], [1]], [[1, 2]]],
]);

testSchemaTable("counts of items", [
  ["minItems", { minItems: 1 }, [[1], ""], [[]]],
  ["maxItems", { maxItems: 2 }, [[], [1, 2], { length: 3 }], [[1, 2, 3]]],
  ["counts may be written 1.0", { minItems: parse("1.0") }, [[1]], [[]]],
]);

testSchemaTable("contains", [
  ["contains wants one item", { contains: { minimum: 5 } }, [[3, 5], [5, 5], "x"], [[], [3]]],
  [
    "contains beside prefixItems",
    { prefixItems: [{ type: "null" }], contains: { type: "string" } },
    [[null, "x"]],
    [[], [null]],
  ],
  ["contains true wants any item", { contains: true }, [[1]], [[]]],
  ["contains false cannot be met", { contains: false }, ["x"], [[], [1]]],
  [
    "minContains",
    { contains: { const: 1 }, minContains: 2 },
    [
      [1, 1],
      [1, 2, 1],
    ],
    [[1], [1, 2]],
  ],
  ["minContains 0 turns contains off", { contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
  ["maxContains", { contains: { const: 1 }, maxContains: 1 }, [[1], [1, 2]], [[1, 1], [], [2]]],
  ["minContains 0 with maxContains", { contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]],
  [
    "minContains above maxContains cannot be met",
    { contains: true, minContains: 3, maxContains: 1 },
    [],
    [[], [1], [1, 2, 3]],
  ],
  ["minContains and maxContains need contains", { minContains: 5, maxContains: 0 }, [[], [1]], []],
  ["maxContains 0", { contains: { type: "string" }, minContains: 0, maxContains: 0 }, [[], [1]], [["a"]]],
]);

testSchemaTable("uniqueItems", [
  [
    "scalars",
    { uniqueItems: true },
    [[], [1, 2], [1, "1", true, "true"], [0, false, null, ""], "aa"],
    [
      [1, 2, 1],
      ["a", "a"],
      [null, null],
      [0, -0],
    ],
  ],
  ["numbers are equal by value", { uniqueItems: true }, [[1, 1.5]], [parse("[1.0, 1]")]],
  [
    "containers are equal by value",
    { uniqueItems: true },
    [
      [{ a: 1 }, { a: 2 }],
      [[1], [2]],
      [[1], 1, "[1]"],
      [{}, []],
    ],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [
        [1, [2]],
        [1, [2]],
      ],
      [{}, {}],
    ],
  ],
  [
    "text that looks like a container is not one",
    { uniqueItems: true },
    [
      ["[1]", [1]],
      ['{"a":1}', { a: 1 }],
      [["a,b"], ["a", "b"]],
      [{ a: "1" }, { a: 1 }],
    ],
    [],
  ],
  ["uniqueItems false", { uniqueItems: false }, [[1, 1]], []],
]);
