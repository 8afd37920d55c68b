import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PythonFloat, readPythonJson, writePythonJson } from "../../../packages/biplane/src/rollout/python/json.ts";
import { evalSessionId } from "../../../packages/biplane/src/rollout/session-id.ts";

interface Vector {
  readonly seed: number | bigint | null;
  readonly config: unknown;
  readonly dataset_row_id: string;
  readonly model_id: string;
  readonly canonical: string;
  readonly session_id: string;
}

const text = readFileSync(new URL("python.golden.json", import.meta.url), "utf8");
const { gen_session_id: vectors } = readPythonJson(text) as { gen_session_id: readonly Vector[] };

test.each(vectors)("the id of row $dataset_row_id is Eval Protocol's", (vector) => {
  const { seed, config, dataset_row_id: rowId, model_id: modelId } = vector;
  expect(writePythonJson({ seed, config, dataset_row_id: rowId, model_id: modelId })).toBe(vector.canonical);
  expect(evalSessionId({ seed, config, rowId, modelId })).toBe(vector.session_id);
});

test.each([
  [0.1, "0.1"],
  [1e-5, "1e-05"],
  [0.0001, "0.0001"],
  [new PythonFloat(1e16), "1e+16"],
  [new PythonFloat(1e15), "1000000000000000.0"],
  [new PythonFloat(2), "2.0"],
  [new PythonFloat(0), "0.0"],
  [-0, "-0.0"],
  [1e22, "10000000000000000000000"],
  [123456.789, "123456.789"],
  [new PythonFloat(1.5e300), "1.5e+300"],
  [Number.NaN, "NaN"],
])("%s is written %s", (value, expected) => {
  expect(writePythonJson(value)).toBe(expected);
});

test("keys are sorted by code point", () => {
  expect(writePythonJson({ "\u{1F600}": 1, "\uFFFD": 2, a: 3 })).toBe(
    String.raw`{"a": 3, "\ufffd": 2, "\ud83d\ude00": 1}`,
  );
});

test("what is written can be read, and is written the same again", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const written = writePythonJson(value);
      expect(writePythonJson(readPythonJson(written))).toBe(written);
    }),
  );
});
