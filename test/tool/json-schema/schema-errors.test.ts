import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";

const rows: [string, unknown, string][] = [
  ["a schema that is not an object", 7, "at its root: a schema must be an object or a boolean"],
  ["null", null, "at its root: a schema must be an object or a boolean"],
  ["an array", [], "at its root: a schema must be an object or a boolean"],
  [
    "a wrong type name",
    { properties: { n: { type: "integr" } } },
    'at /properties/n/type: "integr" is not a type; the types are string, number, integer, boolean, array, object, null',
  ],
  ["a wrong name in a list of types", { type: ["string", "any"] }, 'at /type: "any" is not a type'],
  ["type that is not a name", { type: {} }, "at /type: {} is not a type"],
  ["an empty list of types", { type: [] }, "at /type: [] is not a type"],
  ["a type from the prototype", { type: "constructor" }, 'at /type: "constructor" is not a type'],
  ["enum that is not an array", { enum: { a: 1 } }, "at /enum: it must be an array"],
  ["minLength as text", { items: { minLength: "3" } }, "at /items/minLength: it must be a non-negative integer"],
  ["a negative length", { maxLength: -1 }, "at /maxLength: it must be a non-negative integer"],
  ["a fractional count", { minItems: 1.5 }, "at /minItems: it must be a non-negative integer"],
  [
    "minContains is checked without contains",
    { minContains: "1" },
    "at /minContains: it must be a non-negative integer",
  ],
  ["minProperties null", { minProperties: null }, "at /minProperties: it must be a non-negative integer"],
  ["minimum as text", { minimum: "1" }, "at /minimum: it must be a number"],
  ["the boolean exclusiveMaximum of draft-04", { exclusiveMaximum: true }, "at /exclusiveMaximum: it must be a number"],
  ["multipleOf 0", { multipleOf: 0 }, "at /multipleOf: it must be greater than 0"],
  ["uniqueItems as text", { uniqueItems: "yes" }, "at /uniqueItems: it must be true or false"],
  [
    "the boolean required of draft-03",
    { properties: { a: { required: true } } },
    "at /properties/a/required: it must be an array of strings",
  ],
  ["required with numbers", { required: [1] }, "at /required: it must be an array of strings"],
  [
    "dependentRequired without lists",
    { dependentRequired: { a: "b" } },
    "at /dependentRequired: it must be an object of arrays of strings",
  ],
  ["an invalid pattern", { pattern: "(" }, 'at /pattern: "(" is not a valid regular expression'],
  ["a pattern that is not text", { pattern: 1 }, "at /pattern: it must be a string"],
  [
    "an invalid patternProperties key",
    { patternProperties: { "[": {} } },
    'at /patternProperties/[: "[" is not a valid regular expression',
  ],
  ["properties as an array", { properties: [] }, "at /properties: it must be an object of schemas"],
  [
    "a property that is not a schema",
    { properties: { a: "string" } },
    "at /properties/a: a schema must be an object or a boolean",
  ],
  [
    "a name that must be escaped",
    { properties: { "a/b~c": 1 } },
    "at /properties/a~1b~0c: a schema must be an object or a boolean",
  ],
  ["an empty allOf", { allOf: [] }, "at /allOf: it must be a non-empty array of schemas"],
  ["anyOf as an object", { anyOf: {} }, "at /anyOf: it must be a non-empty array of schemas"],
  ["not that is no schema", { not: "x" }, "at /not: a schema must be an object or a boolean"],
  ["a tuple in items", { items: [{}] }, 'at /items: it must be one schema; a list of schemas goes in "prefixItems"'],
  [
    "a mistake that no value can reach",
    { $defs: { unused: { type: "strin" } } },
    'at /$defs/unused/type: "strin" is not a type',
  ],
  ["$ref that is not text", { $ref: 1 }, "at /$ref: it must be a string"],
  ["$ref to nothing", { items: { $ref: "#/$defs/city" } }, 'at /items/$ref: nothing is found at "#/$defs/city"'],
  [
    "$ref to the prototype",
    { $ref: "#/$defs/constructor", $defs: {} },
    'at /$ref: nothing is found at "#/$defs/constructor"',
  ],
  ["$ref to a value that is no schema", { $ref: "#/x", x: "text" }, "at /x: a schema must be an object or a boolean"],
  ["$ref with a broken escape", { $ref: "#/%zz" }, 'at /$ref: nothing is found at "#/%zz"'],
  ["$ref to an unknown anchor", { $ref: "#city" }, 'at /$ref: nothing is found at "#city"'],
  [
    "$ref to an index that is no index",
    { $ref: "#/allOf/00", allOf: [{}] },
    'at /$ref: nothing is found at "#/allOf/00"',
  ],
  [
    "$ref to the network",
    { $ref: "https://example.com/city.json" },
    'at /$ref: "https://example.com/city.json" is not part of this schema, and references are never fetched',
  ],
  [
    "$ref to a file that is not embedded",
    { $ref: "city.json#/a" },
    'at /$ref: "city.json#/a" is not part of this schema',
  ],
  ["$ref to an older meta-schema", { $ref: "http://json-schema.org/draft-07/schema" }, "references are never fetched"],
  ["$dynamicRef to nothing", { $dynamicRef: "#x" }, 'at /$dynamicRef: nothing is found at "#x"'],
  ["$id that is not text", { $id: 1 }, "at /$id: it must be a string"],
  ["$id with a fragment", { $id: "http://x.org/a#b" }, 'at /$id: it must not have a fragment; use "$anchor"'],
  ["$id that cannot be resolved", { $id: "urn:a:b", items: { $id: "relative" } }, '"$id" "relative" is not a URI'],
  [
    "two schemas with one $id",
    { $defs: { a: { $id: "x" }, b: { $id: "x", type: "null" } } },
    'at /$defs/b: "$id" "x" already names another schema',
  ],
  [
    "two schemas with one anchor",
    { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
    'at /$defs/b: the anchor "x" is used twice',
  ],
  ["a malformed anchor", { $anchor: "a b" }, "at /$anchor: it must be a name"],
  [
    "draft-04",
    { $schema: "http://json-schema.org/draft-04/schema#" },
    '"$schema" names "http://json-schema.org/draft-04/schema#"; supported are JSON Schema 2020-12, 2019-09 and draft-07',
  ],
  [
    "a dialect of one's own",
    { $schema: "https://example.com/dialect" },
    "supported are JSON Schema 2020-12, 2019-09 and draft-07",
  ],
  ["$schema that is not text", { $schema: 7 }, '"$schema" names 7'],
  [
    "a reference to itself",
    { $ref: "#" },
    "at its root: it refers to itself for the same value, so a check never ends",
  ],
  [
    "a circle of references",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    "it refers to itself for the same value",
  ],
  ["a circle through allOf", { allOf: [{ $ref: "#" }] }, "at /allOf/0: it refers to itself for the same value"],
  [
    "a circle through not, if and dependentSchemas",
    { not: { if: { dependentSchemas: { a: { $ref: "#" } } } } },
    "it refers to itself for the same value",
  ],
  ["a circle of $dynamicRef", { $dynamicAnchor: "a", $dynamicRef: "#a" }, "it refers to itself for the same value"],
];

describe("a wrong schema", () => {
  it.each(rows)("is refused: %s", (_name, schema, message) => {
    expect(() => compileSchema(schema as JsonSchema)).toThrow(message);
    expect(() => compileSchema(schema as JsonSchema)).toThrow(/^Invalid schema at .*\.$/);
  });

  it("is not one that only recurses with the value", () => {
    expect(() => compileSchema({ anyOf: [{ type: "null" }, { items: { $ref: "#" } }] })).not.toThrow();
    expect(() => compileSchema({ propertyNames: { $ref: "#" }, contains: { $ref: "#" } })).not.toThrow();
  });
});
