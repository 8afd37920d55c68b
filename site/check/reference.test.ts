import { expect, test } from "vitest";
import { readReference } from "../reference/write-reference.ts";

const entries = readReference();

test("the reference has what the entries export, also by way of other packages", () => {
  const kinds = new Map(entries.flatMap(({ exports }) => exports.map(({ name, kind }) => [name, kind])));
  const expected = { server: "function", allow: "function", Environment: "class", gallery: "value", Trace: "type" };
  for (const [name, kind] of Object.entries(expected)) expect([name, kinds.get(name)]).toEqual([name, kind]);
  expect(entries.filter(({ exports }) => exports.length === 0).map(({ entry }) => entry.specifier)).toEqual([]);
});

test("every function, class and value has a comment", () => {
  const silent = entries.flatMap(({ entry, exports }) =>
    exports
      .filter(({ kind, comment }) => kind !== "type" && comment === "")
      .map(({ name }) => `${entry.specifier}: ${name}`),
  );
  expect(silent).toEqual([]);
});
