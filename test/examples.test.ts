import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../examples", import.meta.url));

test.each(readdirSync(folder).filter((file) => file.endsWith(".ts")))(
  "%s prints what it says it prints",
  async (file) => {
    const source = readFileSync(join(folder, file), "utf8");
    const expected = (source.split("// prints:\n")[1] ?? "").replaceAll(/^\/\/ ?/gm, "");
    const words = ["--import", "tsx", "--conditions=biplane-source", join(folder, file)];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
    expect(stdout).toBe(expected);
  },
);

test.each([
  ["README.md", "customers.ts"],
  ["docs/apps.md", "app.ts"],
  ["docs/environments.md", "guess-the-number.ts"],
  ["docs/train-with-trl.md", "../interop/python/trl_trainer.py"],
  ["docs/evaluate-with-eval-protocol.md", "../interop/python/frozen_lake_evaluation.py"],
])("the first code of %s is taken from %s", (document, file) => {
  const [, code = ""] =
    /```(?:ts|python)\n([\s\S]*?)```/.exec(readFileSync(join(folder, "..", document), "utf8")) ?? [];
  const example = readFileSync(join(folder, file), "utf8");
  expect(code).not.toBe("");
  for (const line of code.trim().split("\n")) expect(example).toContain(line.trim());
});
