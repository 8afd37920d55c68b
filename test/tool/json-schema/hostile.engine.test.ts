/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { describe, expect, it } from "vitest";
import { server, tool } from "biplane";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";

const tooDeep = { path: "", message: "is nested too deeply to be checked" };
const tooLong = { path: "", message: "takes too long to be checked against this schema" };

/** `wrap` around `core`, `times` times. */
function nest<T>(times: number, core: T, wrap: (inner: T) => T): T {
  let value = core;
  for (let time = 0; time < times; time++) value = wrap(value);
  return value;
}

const deepArray = nest<unknown>(100_000, [], (inner) => [inner]);
const deepObject = nest<unknown>(100_000, {}, (inner) => ({ a: inner }));

describe("a hostile value", () => {
  const recursive: [string, JsonSchema, unknown][] = [
    ["items", { items: { $ref: "#" } }, deepArray],
    [
      "properties",
      { type: ["object", "null"], properties: { a: { $ref: "#" } }, required: [], minProperties: 0, maxProperties: 3 },
      deepObject,
    ],
    ["patternProperties", { patternProperties: { a: { $ref: "#" } } }, deepObject],
    ["additionalProperties", { additionalProperties: { $ref: "#" } }, deepObject],
    ["unevaluatedProperties", { unevaluatedProperties: { $ref: "#" } }, deepObject],
    ["contains", { contains: { $ref: "#" } }, deepArray],
    ["not, which must not turn the limit into a pass", { not: { items: { $ref: "#" } } }, deepArray],
    ["anyOf, which must not fall back to another branch", { anyOf: [{ items: { $ref: "#" } }, true] }, deepArray],
    ["if", { if: { items: { $ref: "#" } }, then: true, else: true }, deepArray],
    ["uniqueItems", { uniqueItems: true }, [deepArray, 1]],
    [
      "$dynamicRef",
      {
        $dynamicAnchor: "n",
        items: { $ref: "b" },
        $defs: { b: { $id: "b", $dynamicAnchor: "n", items: { $dynamicRef: "#n" } } },
      },
      deepArray,
    ],
    [
      "a long way through the schema",
      { properties: { a: nest<object>(90, { properties: { a: { $ref: "#" } } }, (inner) => ({ allOf: [inner] })) } },
      deepObject,
    ],
  ];

  it.each(recursive)("that is very deep ends in a fault: %s", (_name, schema, value) => {
    expect(compileSchema(schema)(value)).toEqual(tooDeep);
  });

  it("does not spoil the next check", () => {
    const check = compileSchema({ items: { $ref: "#" }, type: "array" });
    expect(check(deepArray)).toEqual(tooDeep);
    expect(check([[], [[]]])).toBeUndefined();
    expect(check([[], [1]])).toEqual({ path: "/1/0", message: "must be array, got number" });
  });

  it("may be fairly deep", () => {
    const check = compileSchema({ type: "object", properties: { a: { $ref: "#" } }, additionalProperties: false });
    expect(check(nest<unknown>(400, {}, (inner) => ({ a: inner })))).toBeUndefined();
    expect(check(nest<unknown>(400, 1, (inner) => ({ a: inner })))?.path).toBe("/a".repeat(400));
  });

  it("that is deep costs nothing where the schema does not look", () => {
    expect(compileSchema({ type: "array", items: { type: "array" }, const: undefined })(deepArray)).toBeUndefined();
    expect(compileSchema({ enum: [[[1]], { a: { a: 1 } }] })(deepArray)).toBeDefined();
  });

  it("with very many equal-looking items is checked in good time", () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ id: index, tags: ["a", "b"] }));
    expect(compileSchema({ uniqueItems: true })(items)).toBeUndefined();
  });

  const objects = Array.from({ length: 200_000 }, (_, at) => ({ at }));
  const multiplied: [string, JsonSchema, unknown][] = [
    ["uniqueItems over 200,000 objects", { uniqueItems: true }, objects],
    ["enum of objects", { items: { enum: objects.slice(0, 2000) } }, objects.slice(1000, 11_000)],
    ["dependentRequired", { items: { dependentRequired: { at: Array.from({ length: 1000 }, () => "at") } } }, objects],
    ["allOf", { allOf: Array.from({ length: 1000 }, () => ({ items: { type: "object" } })) }, objects.slice(0, 1000)],
    [
      "contains",
      { allOf: Array.from({ length: 1000 }, () => ({ contains: { type: "null" }, minContains: 0, maxContains: 5 })) },
      objects,
    ],
    ["propertyNames", { items: { allOf: Array.from({ length: 1000 }, () => ({ propertyNames: true })) } }, objects],
    [
      "unevaluatedItems",
      {
        allOf: Array.from({ length: 1000 }, (_, at) => ({ prefixItems: [{ $comment: String(at) }] })),
        unevaluatedItems: {},
      },
      objects.slice(0, 1000),
    ],
  ];

  it.each(multiplied)("in the input of a tool is checked for a limited time: %s", async (_name, schema, list) => {
    const input = { type: "object", properties: { list: schema } } as const;
    const subject = server({ name: "subject", tools: { act: tool({ input, run: () => "done" }) } });
    await expect(subject.call("act", { list })).rejects.toThrow("takes too long to be checked against this schema");
  });

  it("may have its own hasOwnProperty, or no prototype", () => {
    const check = compileSchema({
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    });
    expect(check(Object.assign(Object.create(null), { a: "x" }))).toBeUndefined();
    expect(check({ a: "x", hasOwnProperty: 1 })?.message).toBe("has unknown property 'hasOwnProperty'");
  });
});

describe("a hostile schema", () => {
  it("that is very deep is refused", () => {
    const deep = nest<JsonSchema>(50_000, {}, (inner) => ({ not: inner }));
    expect(() => compileSchema(deep)).toThrow("Invalid schema at its root: it is nested deeper than 100 levels.");
    expect(() => compileSchema(nest<JsonSchema>(100, {}, (inner) => ({ items: inner })))).not.toThrow();
  });

  it("with very long names is refused, because every subschema keeps its path", () => {
    const properties = { ["x".repeat(3000)]: { properties: { a: {} } } };
    expect(() => compileSchema({ properties })).toThrow("it has a path longer than 2000 characters");
  });

  it("that has very many subschemas is refused", () => {
    const anyOf = Array.from({ length: 20_000 }, () => ({}));
    expect(() => compileSchema({ anyOf })).toThrow("Invalid schema at its root: it has more than 10000 subschemas.");
  });

  it("with a very deep constant is refused, and elsewhere depth is harmless", () => {
    expect(() => compileSchema({ const: deepArray })).toThrow('a value in "const" or "enum" is nested deeper than 100');
    expect(() => compileSchema({ enum: [1, deepObject] })).toThrow("nested deeper than 100 levels");
    expect(() => compileSchema({ default: deepArray, wibble: deepObject })).not.toThrow();
    expect(compileSchema({ not: { default: deepArray } })(1)?.message).toBe("must not match a deeply nested value");
    expect(() => compileSchema({ $schema: deepArray })).toThrow("supported are JSON Schema 2020-12");
  });

  it("that refers to itself through a cyclic object is refused", () => {
    const cyclic: Record<string, unknown> = { type: "array" };
    cyclic["items"] = cyclic;
    expect(() => compileSchema(cyclic)).toThrow("it is nested deeper than 100 levels");
  });

  it("with a very long chain of references ends in a fault", () => {
    const $defs: Record<string, object> = { d9000: {} };
    for (let index = 0; index < 9000; index++) $defs[`d${index}`] = { $ref: `#/$defs/d${index + 1}` };
    expect(compileSchema({ $ref: "#/$defs/d0", $defs })(1)).toEqual(tooDeep);
    expect(compileSchema({ anyOf: [{ $ref: "#/$defs/d8900" }], $defs })(1)).toBeUndefined();
  });

  it("that doubles the work with each reference ends in a fault", () => {
    const $defs: Record<string, object> = { d60: {} };
    for (let index = 0; index < 60; index++) {
      const next = { $ref: `#/$defs/d${index + 1}` };
      $defs[`d${index}`] = { allOf: [next, next] };
    }
    expect(compileSchema({ $ref: "#/$defs/d0", $defs })(1)).toEqual(tooLong);
  });

  it("that doubles the work with each unevaluatedProperties ends in a fault", () => {
    const schema = nest<JsonSchema>(49, {}, (inner) => ({ anyOf: [{ anyOf: [inner] }], unevaluatedProperties: false }));
    expect(compileSchema(schema)({})).toEqual(tooLong);
  });

  it("with nested unions does not multiply the work or the message", () => {
    const schema = nest<JsonSchema>(45, { type: "null" }, (inner) => ({ anyOf: [{ anyOf: [inner, { minimum: 5 }] }] }));
    expect(compileSchema(schema)(1)?.message.length).toBeLessThan(500);
  });

  it("with a loop that only $dynamicRef closes ends in a fault", () => {
    const schema = {
      $dynamicAnchor: "x",
      $ref: "b",
      $defs: { b: { $id: "b", $dynamicRef: "#x", $defs: { d: { $dynamicAnchor: "x" } } } },
    };
    expect(compileSchema(schema)(1)).toEqual(tooDeep);
  });

  it("cannot reach the prototype", () => {
    compileSchema(
      JSON.parse('{"properties":{"__proto__":{"default":1}},"$defs":{"__proto__":{"$anchor":"a"}}}') as JsonSchema,
    );
    compileSchema(
      JSON.parse('{"$schema":"http://json-schema.org/draft-07/schema#","__proto__":{"type":"x"}}') as JsonSchema,
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
