import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { runToEnd } from "../../support/project.ts";
import { blocksOf, documents } from "../code-blocks.ts";
import { given } from "./given.ts";
import { pageModule } from "./page-module.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = join(root, ".cache", "snippets");

/** What a new project has, and the types that npm gets. */
const compilerOptions = {
  target: "ES2023",
  lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.Iterable"],
  module: "NodeNext",
  types: ["node"],
  strict: true,
  allowJs: true,
  allowUnreachableCode: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

test("the TypeScript of all documents compiles against the built packages, and the JavaScript parses", async () => {
  await rm(folder, { recursive: true, force: true });
  await write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["."] }));
  // What only the reader's project has.
  await write("other-packages.d.ts", 'declare module "@ai-sdk/openai";');
  for (const file of documents.filter((file) => !file.includes("tutorial"))) {
    // The blocks of the tutorial are compared with the files that they are from.
    const module = pageModule(file, given[file]);
    if (module !== undefined) await write(`${file}.ts`, module);
  }
  for (const { file, line, code } of blocksOf("js")) await write(`${file}.${line}.js`, code);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await runToEnd(process.execPath, [tsc, "-p", "."], { cwd: folder, timeoutMs: 55_000 });
  expect(stdout.trim().split("\n")).toEqual([""]);
});

test("the Python of all documents parses", needs("python3"), async () => {
  const input = JSON.stringify(blocksOf("python"));
  const { stdout, stderr } = await runToEnd("python3", ["-c", parsePython], { cwd: root, input });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([]);
});

test("given names only documents with TypeScript", () => {
  expect(Object.keys(given).filter((file) => !documents.includes(file) || pageModule(file) === undefined)).toEqual([]);
});

async function write(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const parsePython = `
import ast, json, sys
problems = []
for block in json.load(sys.stdin):
    try:
        compile(block["code"], block["file"], "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        problems.append(f"{block['file']}:{block['line'] + error.lineno}: {error.msg}")
print(json.dumps(problems))
`;
