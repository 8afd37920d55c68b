// Reads what Hugging Face's `datasets` writes: node interop/datasets.mjs <server> <folder with its virtual environment>
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readRows } from "../packages/biplane/src/rollout/data/read-rows.ts";
import { setupOf } from "../packages/biplane/src/rollout/row.ts";
import { check } from "./sdk-checks.mjs";

const [, home] = process.argv.slice(2);
const python = join(home, process.platform === "win32" ? "Scripts" : "bin", "python");
const folder = mkdtempSync(join(tmpdir(), "biplane-datasets-"));

try {
  const script = fileURLToPath(new URL("python/write_datasets.py", import.meta.url));
  execFileSync(python, [script, folder], { stdio: ["ignore", "ignore", "inherit"] });
  const written = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  for (const [name, { path, split, rows }] of Object.entries(written)) {
    await check(`Reads ${name}`, async () => {
      const read = await readRows(join(folder, path), { split });
      const told = read.map((row, at) => {
        const { id, seed, context } = setupOf(row, at);
        return { id, seed, context, messages: row.messages, answer: row.input_metadata.dataset_info.answer };
      });
      assert.deepEqual(told, rows);
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
