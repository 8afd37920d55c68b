import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { server } from "biplane";
import type { Server } from "biplane";
import { connect } from "biplane/client";
import { codeTool, pythonEngine, starlarkEngine } from "biplane/code";
import type { CodeAnswer } from "biplane/code";
import { filesystemPack } from "biplane/packs";
import { program } from "../support/project.ts";

const reference = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", import.meta.url),
);
const engines = { python: pythonEngine(), starlark: starlarkEngine({ workers: 1 }) };
const folder = realpathSync(mkdtempSync(join(tmpdir(), "biplane-codeact-")));
writeFileSync(join(folder, "file.txt"), `${"hay\n".repeat(98)}a needle here\nhay\na needle below\n`);
afterAll(async () => {
  await Promise.all(Object.values(engines).map((engine) => engine.close()));
  rmSync(folder, { recursive: true });
});

/** The code block of RFC 003's first scenario, as it is written there. */
const block = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;

async function filesystem(kind: "our pack" | "the reference server"): Promise<Server> {
  if (kind === "our pack")
    return server({ name: "files", limits: false, packs: [filesystemPack({ roots: [folder] })] });
  const files = server({ name: "files", limits: false });
  await files.mount("reference", { command: process.execPath, args: [reference, folder], env: { HOME: folder } });
  return files;
}

describe.each(["our pack", "the reference server"] as const)("read_text_file of %s", (kind) => {
  test.each(["python", "starlark"] as const)("gives text in %s, as CodeAction wants it", async (language) => {
    await using files = await filesystem(kind);
    codeTool(files, { engines: [engines[language]] });
    const { result, error } = (await files.call("run_code", { code: block })) as CodeAnswer;
    expect([error, result]).toEqual([null, ["a needle here"]]);
  });
});

test("biplane serve --code gives an environment CodeAction in two languages", async () => {
  const args = [program, "serve", "--env", "frozen-lake", "--code", "javascript,python", "--stdio"];
  await using client = await connect({ command: process.execPath, args, cwd: folder });
  const python = { language: "python", code: "return [t for t in list_tools() if 'lake' in t]" };
  expect((await client.callTool("run_code", python)).structuredContent).toMatchObject({ result: ["lake_move"] });
  const javascript = { language: "javascript", code: "(await lake_move('DOWN')).action" };
  expect((await client.callTool("run_code", javascript)).structuredContent).toMatchObject({ result: "DOWN" });
});
