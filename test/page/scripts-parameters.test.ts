import fc from "fast-check";
import { expect, test } from "vitest";
import { parametersOf } from "../../page/src/views/scripts/parameters.ts";
import { anyCharacter } from "../support/any-character.ts";

const runs = process.env["BIPLANE_SOAK"] ? 20_000 : 300;

test("the form of a script comes from its header, or from the function's own parameters", () => {
  const own = 'def main(city, units = "metric", n = -2, on = True, far = [1, (2, 3)], *rest):\n    pass\n';
  expect(parametersOf(own, "main")).toMatchObject({
    properties: {
      city: {},
      units: { type: "string", default: "metric" },
      n: { type: "number", default: -2 },
      on: { type: "boolean", default: true },
      far: {},
    },
    required: ["city"],
  });
  expect(parametersOf(`# @param city: string The "city"\n# @param n?: integer = 3\n${own}`, "main")).toMatchObject({
    properties: { city: { type: "string", description: 'The "city"' }, n: { type: "integer", default: 3 } },
    required: ["city"],
  });
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string(), (source, name) => {
      expect(parametersOf(`def main(${source}`, name)).toMatchObject({ type: "object" });
      expect(parametersOf(`def main(${source}`, "main")).toMatchObject({ type: "object" });
    }),
    { numRuns: runs },
  );
});
