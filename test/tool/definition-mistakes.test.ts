import { describe, expect, test } from "vitest";
import { environment, prompt, resource, server, tool } from "biplane";

/** Mistakes that plain JavaScript allows. The casts stand for a program without type checks. */
const run = () => "done";
const anything = (value: unknown) => value as never;

describe("a mistake in a definition is an error that names it", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["a tool's option", () => tool(anything({ name: "t", run, timeout_ms: 5 })), /"t".*"timeout_ms".*timeoutMs/],
    ["a server's option", () => server(anything({ name: "s", tool: [] })), /"s".*"tool".*tools/],
    ["a resource's option", () => resource(anything({ name: "r", uri: "r:1", reed: run })), /"r".*"reed".*read/],
    ["a prompt's option", () => prompt(anything({ name: "p", got: run })), /"p".*"got".*get/],
    [
      "an environment's option",
      () => environment(anything({ name: "e1", start: () => ({}), observe: run, tools: () => ({}), rewards: run })),
      /"e1".*"rewards".*reward/,
    ],
    ["mounting nothing", () => server({ name: "s" }).mount("x", anything(undefined)), /Cannot mount "x".*undefined/],
    ["mounting a number", () => server({ name: "s" }).mount("x", anything(7)), /Cannot mount "x".*number/],
    ["mounting an array", () => server({ name: "s" }).mount("x", anything([])), /Cannot mount "x".*array/],
    ["removing by name", () => server({ name: "s" }).remove(anything("add")), /remove\(\) takes the tool.*"add"/],
    ["no name", () => server(anything({})), /needs a name/],
  ])("%s", (_, define, message) => {
    expect(define).toThrow(
      expect.objectContaining({ code: "INVALID_DEFINITION", message: expect.stringMatching(message) }),
    );
  });

  test.each(["api", "mcp", "e", "env", "control", "k"])("the reserved name %s", (name) => {
    expect(() => server({ name })).toThrow(/reserved/);
    const options = { name, start: () => ({}), observe: run, tools: () => ({ go: tool({ run }) }) };
    expect(() => environment(options)).toThrow(/reserved/);
  });

  test("an option of serve()", async () => {
    await expect(server({ name: "s" }).serve(anything({ port: 8000 }))).rejects.toThrow(/"port" is not an option/);
  });
});

test("version is optional", () => {
  expect(server({ name: "s" }).version).toBe("0.0.0");
});

test("JSON Schema infers the types of input and output", async () => {
  const add = tool({
    name: "add",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "integer" }, note: { type: ["string", "null"] } },
      required: ["a", "b"],
    },
    output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    run: ({ a, b, note }) => {
      const text: string | null | undefined = note;
      // @ts-expect-error: the schema says that a is a number
      const wrong: string = a;
      return { sum: a + b + (text ?? "").length + (typeof wrong === "number" ? 0 : 1) };
    },
  });
  expect(await server({ name: "s", tools: [add] }).call("add", { a: 1, b: 2 })).toEqual({ sum: 3 });
});

test("JSON Schema infers enums, arrays, nested objects and unions", async () => {
  const order = tool({
    name: "order",
    input: {
      type: "object",
      properties: {
        size: { enum: ["small", "large"] },
        items: { type: "array", items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
        gift: { anyOf: [{ type: "boolean" }, { const: "maybe" }] },
      },
      required: ["size", "items"],
    },
    run: ({ size, items, gift }) => {
      const exact: "small" | "large" = size;
      const first: string | undefined = items[0]?.id;
      const present: boolean | "maybe" | undefined = gift;
      return [exact, first, present];
    },
  });
  const input = { size: "small", items: [{ id: "a" }], gift: "maybe" };
  expect(await server({ name: "s", tools: [order] }).call("order", input)).toEqual(["small", "a", "maybe"]);
});
