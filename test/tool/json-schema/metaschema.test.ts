import { createRequire } from "node:module";
import { describe, expect, it, test } from "vitest";
import { server, tool } from "biplane";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import { findMetaschema } from "../../../packages/core/src/tool/json-schema/metaschema.ts";
import { testSchemaTable } from "./schema-table.ts";

const uri = "https://json-schema.org/draft/2020-12/schema";

testSchemaTable("the built-in metaschema", [
  [
    "accepts every schema of 2020-12, and nothing else",
    { $ref: uri },
    [true, {}, { type: "object", properties: { a: { type: ["string", "null"] } } }, { $defs: { a: { minimum: 1 } } }],
    [7, null, [], { type: "text" }, { minLength: -1 }, { required: "a" }, { $defs: { a: { type: 1 } } }],
  ],
  [
    "checks subschemas at any depth",
    { $ref: uri },
    [{ allOf: [{ items: { anyOf: [{ not: {} }] } }] }],
    [{ allOf: [{ items: { anyOf: [{ not: { type: "none" } }] } }] }, { allOf: [] }, { properties: { a: 1 } }],
  ],
  [
    "is one part of a schema among others",
    { type: "object", properties: { name: { type: "string" }, shape: { $ref: uri } }, required: ["shape"] },
    [{ name: "n", shape: { type: "integer" } }],
    [{ name: "n" }, { shape: { type: "int" } }, { name: 1, shape: {} }],
  ],
  [
    "has parts that can be named alone",
    { $ref: "https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray" },
    [[], ["a"]],
    [["a", "a"], [1], "a"],
  ],
  [
    "can be extended, and the extension holds at any depth",
    {
      $id: "https://example.com/strict",
      $dynamicAnchor: "meta",
      $ref: uri,
      properties: { description: { type: "string", minLength: 3 } },
    },
    [{ description: "long enough", properties: { a: { description: "also" } } }],
    [{ description: "no" }, { properties: { a: { description: "no" } } }],
  ],
]);

describe("the metaschema is that of the specification", () => {
  const reference = createRequire(import.meta.url);
  const names = ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"];

  it.each(["schema", ...names.map((name) => `meta/${name}`)])("%s", (name) => {
    const theirs: unknown = reference(`ajv/dist/refs/json-schema-2020-12/${name}.json`);
    expect(findMetaschema(`https://json-schema.org/draft/2020-12/${name}`)).toEqual(withoutTexts(theirs));
  });
});

test("a tool may take a schema, and tells what is wrong with it", async () => {
  const define = tool({
    name: "define",
    input: { type: "object", properties: { schema: { $ref: uri } }, required: ["schema"] },
    run: ({ schema }) => ({ defined: schema }),
  });
  await using gateway = server({ name: "schemas", version: "1", tools: [define] });
  expect(await gateway.call("define", { schema: { type: "string" } })).toEqual({ defined: { type: "string" } });
  await expect(gateway.call("define", { schema: { type: "text" } })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("/schema/type") as string,
  });
});

test("other schemas are still not fetched", () => {
  expect(() => compileSchema({ $ref: "https://json-schema.org/draft/2020-12/other" })).toThrow("never fetched");
});

/** The reference without its titles and comments, which check nothing. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, text]) => !["title", "$comment"].includes(key) || isSchema(text));
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutTexts(member)]));
}

/** A property may be called `title`: then it is a schema and no text. */
function isSchema(value: unknown): boolean {
  return typeof value !== "string";
}
