import { testSchemaTable } from "./schema-table.ts";

const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;

testSchemaTable("properties and required", [
  [
    "properties apply where present",
    { properties: { a: { type: "string" } } },
    [{}, { a: "x" }, { b: 1 }, [], 7],
    [{ a: 1 }],
  ],
  ["a false property must be absent", { properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }, { a: null }]],
  ["required", { required: ["a"] }, [{ a: null }, { a: 1, b: 2 }, [], "a"], [{}, { b: 1 }]],
  [
    "required beside properties",
    { properties: { a: {}, b: {} }, required: ["b", "c"] },
    [{ b: 1, c: 2 }],
    [{ a: 1 }, { b: 1 }, { c: 1 }],
  ],
  ["required with repeated names", { properties: { a: {} }, required: ["a", "a"] }, [{ a: 1 }], [{}]],
  [
    "an own undefined counts as absent",
    { required: ["a"], properties: { a: { type: "string" } } },
    [],
    [{ a: undefined }],
  ],
  [
    "an optional undefined is fine",
    { properties: { a: { type: "string" } }, additionalProperties: false },
    [{ a: undefined }, { b: undefined }],
    [],
  ],
  [
    "keys in any order",
    { properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }, required: ["a", "c"] },
    [
      { c: 3, b: 2, a: 1 },
      { x: 0, c: 3, y: 0, a: 1 },
    ],
    [
      { c: 3, b: 2 },
      { c: 1, a: 1 },
    ],
  ],
]);

testSchemaTable("additionalProperties and patternProperties", [
  [
    "additionalProperties false",
    { properties: { a: {} }, additionalProperties: false },
    [{}, { a: 1 }, []],
    [{ b: 1 }, { a: 1, b: 1 }],
  ],
  ["additionalProperties false alone", { additionalProperties: false }, [{}], [{ a: 1 }]],
  [
    "additionalProperties as a schema",
    { properties: { a: {} }, additionalProperties: { type: "boolean" } },
    [{ a: "x", b: true }],
    [{ b: 1 }],
  ],
  ["required does not make a property known", { required: ["a"], additionalProperties: false }, [], [{ a: 1 }, {}]],
  [
    "additionalProperties does not look into allOf",
    { allOf: [{ properties: { a: {} } }], additionalProperties: { type: "boolean" } },
    [{ a: true }],
    [{ a: 1 }],
  ],
  [
    "patternProperties",
    { patternProperties: { "f.*o": { type: "integer" } } },
    [{ foo: 1 }, { foo: 1, fooo: 2 }, { bar: "x" }],
    [{ foo: "x" }, { foo: 1, foooo: "x" }],
  ],
  [
    "several patterns on one key",
    { patternProperties: { "a*": { type: "integer" }, "aaa*": { maximum: 20 } } },
    [{ a: 21 }, { aaaa: 18 }],
    [{ a: "x" }, { aaaa: 31 }],
  ],
  [
    "patterns apply to known properties too",
    { properties: { foo: { minimum: 1 } }, patternProperties: { "^f": { maximum: 5 } } },
    [{ foo: 3 }],
    [{ foo: 0 }, { foo: 9 }],
  ],
  [
    "patterns and additionalProperties",
    { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false },
    [{ a: 1, "x-1": 2 }],
    [{ b: 1 }, { "x-1": 1, c: 1 }],
  ],
  ["patterns with false", { patternProperties: { "^_": false } }, [{ a: 1 }], [{ _a: 1 }]],
  ["patterns are Unicode", { patternProperties: { "^\\p{Lu}": { type: "string" } } }, [{ É: "x", é: 1 }], [{ É: 1 }]],
]);

testSchemaTable("counts, names and dependencies", [
  ["minProperties", { minProperties: 1 }, [{ a: 1 }, []], [{}, { a: undefined }]],
  ["maxProperties", { maxProperties: 1 }, [{}, { a: 1 }], [{ a: 1, b: 2 }]],
  ["maxProperties 0", { maxProperties: 0 }, [{}], [{ a: 1 }]],
  ["propertyNames", { propertyNames: { maxLength: 3 } }, [{}, { abc: 1 }, ["long text"]], [{ abcd: 1 }]],
  ["propertyNames false", { propertyNames: false }, [{}], [{ a: 1 }]],
  ["propertyNames with enum", { propertyNames: { enum: ["a", "b"] } }, [{ a: 1 }], [{ c: 1 }]],
  [
    "dependentRequired",
    { dependentRequired: { a: ["b", "c"] } },
    [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, ["a"]],
    [{ a: 1 }, { a: 1, b: 1 }],
  ],
  ["dependentRequired with an empty list", { dependentRequired: { a: [] } }, [{ a: 1 }], []],
  [
    "dependentSchemas",
    { dependentSchemas: { a: { properties: { b: { type: "string" } }, required: ["b"] } } },
    [{ b: 1 }, { a: 1, b: "x" }],
    [{ a: 1 }, { a: 1, b: 1 }],
  ],
  ["dependentSchemas false", { dependentSchemas: { a: false } }, [{ b: 1 }], [{ a: 1 }]],
]);

const hostileNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

for (const name of hostileNames) {
  const key = JSON.stringify(name);
  testSchemaTable(`the key ${name} is an ordinary key`, [
    ["required", parse(`{"required":[${key}]}`), [parse(`{${key}:1}`)], [{}]],
    ["required and declared", parse(`{"properties":{${key}:{}},"required":[${key}]}`), [parse(`{${key}:1}`)], [{}]],
    [
      "properties",
      parse(`{"properties":{${key}:{"type":"string"}}}`),
      [{}, parse(`{${key}:"x"}`)],
      [parse(`{${key}:1}`)],
    ],
    ["additionalProperties", { properties: { a: {} }, additionalProperties: false }, [{ a: 1 }], [parse(`{${key}:1}`)]],
    [
      "declared in a closed object",
      parse(`{"properties":{${key}:{}},"additionalProperties":false}`),
      [{}, parse(`{${key}:1}`)],
      [{ b: 1 }],
    ],
    [
      "dependentRequired",
      parse(`{"dependentRequired":{${key}:["b"]}}`),
      [{}, parse(`{${key}:1,"b":1}`)],
      [parse(`{${key}:1}`)],
    ],
    ["dependentSchemas", parse(`{"dependentSchemas":{${key}:false}}`), [{}], [parse(`{${key}:1}`)]],
    ["$defs and $ref", parse(`{"$ref":"#/$defs/${name}","$defs":{${key}:{"type":"string"}}}`), ["x"], [1]],
    [
      "unevaluatedProperties",
      parse(`{"allOf":[{"properties":{${key}:{}}}],"unevaluatedProperties":false}`),
      [{}, parse(`{${key}:1}`)],
      [{ b: 1 }],
    ],
    ["unevaluated and not declared", { unevaluatedProperties: false }, [{}], [parse(`{${key}:1}`)]],
    ["const", parse(`{"const":{${key}:1}}`), [parse(`{${key}:1}`)], [{}, { a: 1 }]],
    ["uniqueItems", { uniqueItems: true }, [[{}, parse(`{${key}:1}`)]], [[parse(`{${key}:1}`), parse(`{${key}:1}`)]]],
    ["minProperties", { minProperties: 1 }, [parse(`{${key}:1}`)], [{}]],
  ]);
}
