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

test("the code of the README is an example that runs", () => {
  const readme = readFileSync(join(folder, "..", "README.md"), "utf8");
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code.trim());
  const example = readFileSync(join(folder, "customers.ts"), "utf8");
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) for (const line of block.split("\n")) expect(example).toContain(line.trim());
});
