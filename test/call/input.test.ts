import { describe, expect, it } from "vitest";
import { z } from "zod";
import { server, tool } from "biplane";
import type { ToolOptions } from "biplane";

type Input = NonNullable<ToolOptions<Record<string, unknown>, undefined>["input"]>;

/** A call to a tool with this input schema, which answers with what it got. */
function give(input: unknown, value: unknown): Promise<unknown> {
  const echo = tool({ name: "echo", input: input as Input, run: (got) => got });
  return server({ name: "s", version: "1", tools: [echo] }).call("echo", value);
}

const point = z.object({ x: z.number() });
const pointJson = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
type Tree = { name: string; children?: Tree[] | undefined };
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children(): z.ZodOptional<z.ZodArray<z.ZodType<Tree>>> {
    return z.array(tree).optional();
  },
});

describe("an unknown argument", () => {
  it.each([
    ["at the top (zod)", point, { x: 1, y: 2 }, "y"],
    ["at the top (JSON Schema)", pointJson, { x: 1, y: 2 }, "y"],
    ["of a tool without arguments", undefined, { y: 2 }, "y"],
    ["in an object (zod)", z.object({ at: point }), { at: { x: 1, y: 2 } }, "/at"],
    ["in an object (JSON Schema)", { type: "object", properties: { at: pointJson } }, { at: { x: 1, y: 2 } }, "/at"],
    ["in an optional object", z.object({ at: point.optional() }), { at: { x: 1, y: 2 } }, "/at"],
    ["in an object with a default", z.object({ at: point.default({ x: 0 }) }), { at: { x: 1, y: 2 } }, "/at"],
    ["in a list (zod)", z.object({ all: z.array(point) }), { all: [{ x: 1 }, { x: 1, y: 2 }] }, "/all/1"],
    [
      "in a list (JSON Schema)",
      { type: "object", properties: { all: { type: "array", items: pointJson } } },
      { all: [{ x: 1, y: 2 }] },
      "/all/0",
    ],
    [
      "three levels down",
      z.object({ a: z.object({ b: z.object({ c: point }) }) }),
      { a: { b: { c: { x: 1, y: 2 } } } },
      "/a/b/c",
    ],
    ["in a list of lists", z.object({ a: z.array(z.array(point)) }), { a: [[{ x: 1, y: 2 }]] }, "/a/0/0"],
    ["in a nullable object", z.object({ at: point.nullable() }), { at: { x: 1, y: 2 } }, "/at"],
    [
      "in a choice of objects",
      z.object({
        shape: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("dot") }),
          z.object({ kind: z.literal("disc"), r: z.number() }),
        ]),
      }),
      { shape: { kind: "dot", r: 1 } },
      "/shape",
    ],
    ["in a map of objects", z.object({ all: z.record(z.string(), point) }), { all: { a: { x: 1, y: 2 } } }, "/all/a"],
    ["in a tuple", z.object({ pair: z.tuple([point, point]) }), { pair: [{ x: 1 }, { x: 1, y: 2 }] }, "/pair/1"],
    [
      "in an object that refers to itself",
      z.object({ tree }),
      { tree: { name: "a", children: [{ name: "b", y: 2 }] } },
      "/tree",
    ],
    ["called __proto__", point, JSON.parse('{"x":1,"__proto__":{"y":2}}'), "__proto__"],
    ["called constructor", point, { x: 1, constructor: 2 }, "constructor"],
  ])("is refused %s", async (_, schema, value, where) => {
    await expect(give(schema, value)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(where),
    });
  });

  it.each([
    ["loose zod objects", z.looseObject({ x: z.number() }), { x: 1, y: 2 }],
    ["objects with a catch-all", z.object({ x: z.number() }).catchall(z.number()), { x: 1, y: 2 }],
    ["JSON Schema with additionalProperties", { ...pointJson, additionalProperties: true }, { x: 1, y: 2 }],
    ["maps", z.object({ all: z.record(z.string(), z.number()) }), { all: { anything: 1 } }],
    [
      "objects without declared properties",
      { type: "object", properties: { any: { type: "object" } } },
      { any: { y: 2 } },
    ],
  ])("is welcome where the author opened the object: %s", async (_, schema, value) => {
    expect(await give(schema, value)).toEqual(value);
  });

  it.each([
    ["nullable objects", z.object({ at: point.nullable() }), [{ at: null }, { at: { x: 1 } }]],
    [
      "choices",
      z.object({ a: z.union([z.object({ x: z.number() }), z.object({ y: z.number() }), z.string()]) }),
      [{ a: { x: 1 } }, { a: { y: 1 } }, { a: "text" }],
    ],
    [
      "intersections",
      z.object({ both: z.object({ x: z.number() }).and(z.object({ y: z.number() })) }),
      [{ both: { x: 1, y: 2 } }],
    ],
    ["maps of objects", z.object({ all: z.record(z.string(), point) }), [{ all: {} }, { all: { a: { x: 1 } } }]],
    ["tuples", z.object({ pair: z.tuple([point, z.string()]) }), [{ pair: [{ x: 1 }, "b"] }]],
    ["trees", z.object({ tree }), [{ tree: { name: "a", children: [{ name: "b", children: [] }] } }]],
  ])("is not seen in what is all known: %s", async (_, schema, good) => {
    for (const value of good) expect(await give(schema, value)).toEqual(value);
  });
});

describe("checking the input", () => {
  it("names the path that is wrong", async () => {
    const schema = z.object({ list: z.array(z.object({ n: z.number() })) });
    await expect(give(schema, { list: [{ n: 1 }, { n: "two" }] })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("/list/1/n"),
      details: { path: "/list/1/n" },
    });
  });

  it("fills in zod's defaults, and makes its transforms", async () => {
    const schema = z.object({
      count: z.number().default(3),
      nested: z.object({ flag: z.boolean().default(true) }).prefault({}),
      word: z.string().trim().optional(),
    });
    expect(await give(schema, { word: " hi " })).toEqual({ count: 3, nested: { flag: true }, word: "hi" });
  });

  it("shows policies what the tool would get", async () => {
    const echo = tool({ name: "echo", input: z.object({ count: z.number().default(3) }), run: (got) => got });
    const seen: unknown[] = [];
    const gateway = server({ name: "s", version: "1", tools: [echo] }).policy((_, __, input) => {
      seen.push(input);
      return { verdict: "allow" };
    });
    await gateway.call("echo");
    expect(seen).toEqual([{ count: 3 }]);
  });

  it.each([[null], [[]], ["text"], [4], [true]])("refuses %j in place of arguments", async (value) => {
    await expect(give(point, value)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(give(pointJson, value)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("waits for checks that take their time", async () => {
    const schema = z.object({ n: z.number() }).refine(async ({ n }) => Promise.resolve(n > 0), "n must be positive");
    expect(await give(schema, { n: 1 })).toEqual({ n: 1 });
    await expect(give(schema, { n: 0 })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("takes any depth of honest input, and ends on any depth of the rest", async () => {
    let deep: unknown = {};
    for (let level = 0; level < 50_000; level++) deep = { deep };
    const schema = z.object({ any: z.any() });
    await expect(give(schema, { any: deep }).then(String, String)).resolves.toBeTypeOf("string");
  });
});
