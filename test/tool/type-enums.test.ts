import { tool } from "biplane";
import { expect, test } from "vitest";
import { gallery } from "@biplane/gallery";
import { typeEnums } from "../../packages/core/src/tool/json-schema/type-enums.ts";

test.each<[readonly unknown[], unknown]>([
  [["LEFT", "RIGHT"], "string"],
  [[0, 1, 2], "integer"],
  [[0, 1.5], "number"],
  [[true], "boolean"],
  [
    ["a", null],
    ["string", "null"],
  ],
  [
    ["a", 1, 0.5],
    ["string", "number"],
  ],
])("the enum %j has the type %j", (values, type) => {
  expect(typeEnums({ enum: values })).toEqual({ type, enum: values });
});

test("a type that is there stays, and so do an empty enum and data that looks like a schema", () => {
  for (const schema of [
    { type: "string", enum: ["a"] },
    { enum: [] },
    { default: { enum: ["a"] }, const: { enum: [1] }, examples: [{ enum: [1] }] },
  ])
    expect(typeEnums(schema)).toEqual(schema);
});

test("clients see the type wherever an enum is in a tool's input, and it accepts the same values", async () => {
  const move = tool({
    name: "move",
    input: {
      type: "object",
      properties: {
        way: { enum: [0, 1] },
        ways: { type: "array", items: { anyOf: [{ enum: ["a"] }, { enum: [2] }] } },
      },
      required: ["way"],
    },
    run: ({ way }) => way,
  });
  expect(move.input.json).toMatchObject({
    properties: {
      way: { type: "integer", enum: [0, 1] },
      ways: {
        items: {
          anyOf: [
            { type: "string", enum: ["a"] },
            { type: "integer", enum: [2] },
          ],
        },
      },
    },
  });
  expect([await move.input.check({ way: 1 }), await move.input.check({ way: 2 })]).toMatchObject([
    { ok: true },
    { ok: false },
  ]);
});

test.each(Object.keys(gallery))(
  "%s publishes no enum without a type, and shows models no terminal colours",
  async (name) => {
    await using environment = gallery[name]?.() ?? expect.fail();
    const published = JSON.stringify(Array.from(environment.server.tools, ({ input }) => input.json));
    for (const [before] of published.matchAll(/[^{]{0,40}"enum":/g)) expect(before).toContain('"type"');
    const episode = await environment.start({ seed: 1 });
    expect(JSON.stringify(episode.firstObservation)).not.toContain("\\u001b");
  },
);
