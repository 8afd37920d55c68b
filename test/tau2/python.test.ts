import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { calculate } from "../../packages/biplane/src/tau2/calculate.ts";
import { DataFolder, readOrderedJson } from "../../packages/biplane/src/tau2/data-folder.ts";
import { roundToCents, toCents } from "../../packages/biplane/src/tau2/python-number.ts";
import { writePythonJson } from "../../packages/biplane/src/rollout/python/json.ts";

test.each([
  [2.675, 2.67],
  [0.125, 0.12],
  [0.375, 0.38],
  [0.625, 0.62],
  [-0.125, -0.12],
  [-0.375, -0.38],
  [1.005, 1],
  [1e21, 1e21],
  [-0.001, -0],
])("%d is rounded to cents as Python rounds it: %d", (value, rounded) => {
  expect(roundToCents(value)).toBe(rounded);
});

test("two digits are printed as Python prints them", () => {
  expect([0.125, 4, 1.5, -0.375].map(toCents)).toEqual(["0.12", "4.00", "1.50", "-0.38"]);
});

test.each([
  ["2 + 2", "4.0"],
  ["-2**2", "-4.0"],
  ["2**-1", "0.5"],
  ["2**3**2", "512.0"],
  ["7 // 2", "3.0"],
  ["-7 // 2", "-4.0"],
  ["-7.5 // 2", "-4.0"],
  ["1 / 3", "0.33"],
  ["10**20", "1e+20"],
  ["9007199254740993 - 9007199254740992", "1.0"],
  ["(1 + 2) * -3", "-9.0"],
  [".5 + 5.", "5.5"],
  ["-0.0", "-0.0"],
  ["2.675 * 1", "2.67"],
])("%s is %s", (expression, result) => {
  expect(calculate(expression)).toBe(result);
});

test.each([
  ["2 + x", "Invalid characters in expression"],
  ["1 / 0", "division by zero"],
  ["1.0 / 0", "float division by zero"],
  ["1 // 0", "integer division or modulo by zero"],
  ["0**-1", "0.0 cannot be raised to a negative power"],
  ["10**400", "int too large to convert to float"],
  ["9**9**9**9", "int too large to convert to float"],
  ["2 +", "The expression ends too early."],
  ["2(3)", "The expression has an unexpected (."],
  ["007", "The expression has a number with leading zeros: 007."],
  ["1 2", "The expression has an unexpected 2."],
  ["", "The expression ends too early."],
  [`${"(".repeat(5000)}1`, "The expression is nested too deeply."],
  ["1+".repeat(10_000), "The expression is longer than 10000 characters."],
])("%s fails: %s", (expression, message) => {
  expect(() => calculate(expression)).toThrow(message);
});

test("keys that look like numbers keep their order", () => {
  const read = readOrderedJson('{"b": {"20": 1, "3": {"x": "\\"7\\": 1"}}, "a": []}');
  expect(writePythonJson(read, { sortKeys: false })).toBe('{"b": {"20": 1, "3": {"x": "\\"7\\": 1"}}, "a": []}');
});

test("TOML of the data: tables, lists of tables, and tables in them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-tau2-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "telecom"));
  const file = join(folder, "telecom", "db.toml");
  const data = new DataFolder(folder, "telecom");
  const text = `# comment
[[rows]]
name = "a # b"
sizes = [1, 2.5]
[rows.place]
city = "X"
[[rows.parts]]
id = 1
[[rows]]
name = "c" # comment
parts = []
[one.two]
on = true`;
  await writeFile(file, text);
  expect(data.toml("db.toml")).toEqual({
    rows: [
      { name: "a # b", sizes: [1, 2.5], place: { city: "X" }, parts: [{ id: 1 }] },
      { name: "c", parts: [] },
    ],
    one: { two: { on: true } },
  });
  await writeFile(file, "a = 1\n???");
  expect(() => data.toml("db.toml")).toThrow(file);
});
