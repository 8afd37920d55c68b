import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The package as users get it: packed, installed in an empty folder, imported from there. */
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "biplane-package-"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, unknown> };

beforeAll(() => {
  const [packed] = JSON.parse(npm(root, "pack", "--json", "--pack-destination", folder)) as { filename: string }[];
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  npm(
    folder,
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--ignore-scripts",
    `./${packed?.filename}`,
    "zod",
  );
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each(Object.keys(manifest.exports).filter((path) => path !== "./package.json"))("%s can be imported", (path) => {
  const name = `biplane${path.slice(1)}`;
  const out = node(`const all = await import(${JSON.stringify(name)}); process.stdout.write(Object.keys(all).join());`);
  expect(out).not.toBe("");
});

test("the program runs", () => {
  expect(execFileSync(join(folder, "node_modules", ".bin", "biplane"), ["--version"], { encoding: "utf8" })).toMatch(
    /^\d/,
  );
});

test("ten lines make a server", () => {
  const out = node(
    `
    import { server, tool } from "biplane";
    import { z } from "zod";
    const add = tool({ name: "add", input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b });
    await using calculator = server({ name: "calculator", version: "1.0.0", tools: [add] });
    process.stdout.write(String(await calculator.call("add", { a: 1, b: 2 })));
  `.replace("await using", "const"),
  );
  expect(out).toBe("3");
});

test("the lock file names no registry", () => {
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved"|https?:\/\/registry/);
});

function npm(cwd: string, ...words: string[]): string {
  return execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function node(script: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" });
}
