import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, transform } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "biplane/client";
import { freePort } from "./support/free-port.ts";

const folder = fileURLToPath(new URL("../examples", import.meta.url));

const isProgram = (file: string) =>
  file.endsWith(".ts") && readFileSync(join(folder, file), "utf8").includes("// prints:\n");

test.each(readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isProgram))(
  "%s prints what it says it prints",
  async (file) => {
    const source = readFileSync(join(folder, file), "utf8");
    const expected = (source.split("// prints:\n")[1] ?? "").replaceAll(/^\/\/ ?/gm, "");
    const { stdout } = await promisify(execFile)(process.execPath, [await compiled(file)], { cwd: folder });
    expect(stdout).toBe(expected);
  },
);

/** The example in JavaScript, in the same folder until the end of the test. To start tsx takes more than a second. */
async function compiled(file: string): Promise<string> {
  const outfile = join(folder, dirname(file), `.${basename(file, ".ts")}-${process.pid}.mjs`);
  onTestFinished(() => rm(outfile, { force: true }));
  await build({
    entryPoints: [join(folder, file)],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return outfile;
}

test("minimal.ts is nine lines and serves its tool", async () => {
  const source = readFileSync(join(folder, "minimal.ts"), "utf8");
  expect(source.trimEnd().split("\n")).toHaveLength(9);
  const port = await freePort();
  const { code } = await transform(source.replace(":8000", `:${port}`), { loader: "ts" });
  const child = spawn(process.execPath, ["--input-type=module"], {
    cwd: folder,
    stdio: ["pipe", "inherit", "inherit"],
  });
  try {
    child.stdin.end(code);
    const client = await vi.waitFor(() => connect(`http://127.0.0.1:${port}/mcp`), { timeout: 30_000 });
    const { content } = await client.callTool("greet", { name: "Ada" });
    expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    await client.close();
  } finally {
    child.kill();
    await once(child, "exit");
  }
});

test.each([
  ["README.md", "minimal.ts"],
  ["README.md", "customers.ts"],
  ["docs/apps.md", "app.ts"],
  ["docs/environments.md", "guess-the-number.ts"],
  ["docs/environment-client.md", "environment-client.ts"],
  ["docs/rubrics-and-tasks.md", "rubrics-and-tasks.ts"],
  ["docs/broadband-support.md", "broadband-support.ts"],
  ["docs/train-with-trl.md", "../interop/python/trl_trainer.py"],
  ["docs/evaluate-with-eval-protocol.md", "../interop/python/frozen_lake_evaluation.py"],
])("code of %s is taken from %s", (document, file) => {
  const text = readFileSync(join(folder, "..", document), "utf8");
  const example = readFileSync(join(folder, file), "utf8");
  // A block imports only what it uses.
  const blocks = [...text.matchAll(/```(?:ts|python)\n([\s\S]*?)```/g)].map(([, code = ""]) =>
    code
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("import ")),
  );
  const isFromExample = (lines: readonly string[]) =>
    lines.length > 0 && lines.every((line) => example.includes(line.trim()));
  expect(blocks.some(isFromExample)).toBe(true);
});
