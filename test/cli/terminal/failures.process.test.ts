import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainError } from "../../../packages/biplane/src/cli/terminal/explain-error.ts";
import { BiplaneError } from "../../../packages/core/src/errors.ts";
import { biplane, linkPackages } from "../../support/project.ts";
import { needs, skipWithout } from "../../support/needs.ts";
import { runIn } from "../command.ts";

/** What goes wrong in the first minutes. What loads a module runs in the real program, which loads it as users do. */
let folder: string;
const write = (name: string, text: string) => writeFile(join(folder, name), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-failures-"));
  await chmod(folder, 0o755);
  await linkPackages(folder);
  await write("package.json", '{ "type": "module" }');
  await mkdir(join(folder, "folder.yaml"));
  await write("broken.yaml", "servers: [a\nmode: x\n");
  await write("wrong.yaml", "mdoe: production\n");
  await write("syntax.ts", 'import { server } from "biplane";\nexport default server({ name: "x"\n');
  await write("syntax.mjs", "export default 1 +;\n");
  await write("nothing.mjs", "export default { hello: 1 };\n");
  await write("peer.ts", 'import { z } from "not-installed";\nexport default z;\n');
  await write("throws.mjs", '\nthrow new Error("my own mistake");\n');
  await write("throws.ts", 'const mine: string = "my own mistake";\nthrow new Error(mine);\n');
  await write(
    "tool.ts",
    'import { tool } from "biplane";\n\nexport default tool({ name: "no name", run: () => 1 });\n',
  );
  await write("names.mjs", 'import { nobody } from "./nothing.mjs";\nexport default nobody;\n');
  await write("gone.mjs", 'import "./not-there.mjs";\n');
  await write("text.db", "this is no database, however long it may be ".repeat(30));
  await write("plain.txt", "text");
  await mkdir(join(folder, "commonjs"));
  await write("commonjs/package.json", "{}");
  await write(
    "commonjs/good.ts",
    'import { server } from "biplane";\nexport default server({ name: "x", version: "1" });\n',
  );
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  [["serve", "--config", "folder.yaml"], /folder\.yaml: it is a folder\. Pass the path of the file/],
  [["serve", "--config", "not-there.yaml"], /There is no config file not-there\.yaml/],
  [["serve", "not-there.ts"], /File not found: .*not-there\.ts/],
  [["serve", "folder.yaml"], /folder\.yaml is not a file\. Pass the path of a module/],
  [["serve", "plain.txt"], /plain\.txt is not a module\. Its name must end in \.ts/],
  [["serve", "syntax.ts"], /syntax\.ts:3:1: Expected "}" but found end of file/],
  [["serve", "syntax.mjs"], /syntax\.mjs, or a file .* Unexpected token ';'\. Run node --check syntax\.mjs to find it/],
  [["serve", "nothing.mjs"], /nothing\.mjs has no server or environment as its default export\. Add one, such as/],
  [["serve", "peer.ts"], /peer\.ts imports not-installed, which is not installed\. Run npm install not-installed/],
  [["serve", "throws.mjs"], /throws\.mjs threw while loading, at throws\.mjs:2: my own mistake/],
  [["serve", "throws.ts"], /throws\.ts threw while loading, at throws\.ts:2: my own mistake/],
  [["serve", "tool.ts"], /tool\.ts threw while loading, at tool\.ts:3: Tool "no name": its name must be/],
  [
    ["serve", "names.mjs"],
    /names\.mjs:1: The requested module '\.\/nothing\.mjs' does not provide an export named 'nobody'/,
  ],
  [["serve", "gone.mjs"], /gone\.mjs imports not-there\.mjs, which does not exist/],
  [
    ["serve", "--env", "echo", "--store", "text.db"],
    /The store is not an SQLite file, or is damaged\. Pass another file with --store/,
  ],
  [["serve", "--env", "echo", "--store", "folder.yaml"], /The store cannot be opened: .* biplane doctor/],
  [
    ["serve", "--env", "echo", "--store", "plain.txt/store.db"],
    /Cannot create .*plain\.txt: a file with that name exists/,
  ],
  [
    ["serve", "--env", "echo", "--url", "http://127.0.0.1:99999"],
    /is not a valid URL\. Use one like http:\/\/127\.0\.0\.1:8000/,
  ],
  [["rollout", "--env", "echo", "--rows", "not-there.jsonl"], /File not found: not-there\.jsonl\. Check the path/],
  [["rollout", "--servers", "plain.txt"], /plain\.txt:1:1: the file has a word or sign that is not JSON/],
  [["rollout", "--env", "echo", "--agent", "./syntax.ts"], /syntax\.ts:3:1/],
])("%j is an error that says what to do", async (words, message) => {
  const isLoading = words.some((word) =>
    /^(\.\/)?(syntax|nothing|peer|throws|tool|names|gone|plain)\.(m?[jt]s|txt)$/.test(word),
  );
  const { code, stdout, stderr } = isLoading ? await biplane(words, { cwd: folder }) : await runIn(folder, words);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^biplane: /);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each([
  ["broken.yaml", /^biplane: broken\.yaml:2:1: /],
  ["wrong.yaml", /^biplane: wrong\.yaml:1:1: mdoe is not a known key; did you mean mode\?\n {4}mdoe: production\n/],
])("%s is reported with its line and column", async (file, message) => {
  const { code, stderr } = await runIn(folder, ["serve", "--config", file]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

const readsTypeScript = "typescript" in process.features && Boolean(process.features.typescript);
const needsOlderNode = skipWithout(!readsTypeScript, "a Node that does not read TypeScript");
test("TypeScript in a CommonJS folder is an error that says how to make it a module", needsOlderNode, async () => {
  const { stderr } = await biplane(["serve", "commonjs/good.ts"], { cwd: folder });
  expect(stderr).toMatch(/"type": "module"\. Run npm pkg set type=module, or rename it to good\.mts\.\n$/);
});

test("a pipe as a config file is refused without reading it", needs("mkfifo"), async () => {
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  const { code, stderr } = await runIn(folder, ["serve", "--config", "pipe.yaml"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/Cannot read the config file pipe\.yaml: it is not a file/),
  ]);
});

test("a port in use is an error that says what to do", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, stderr } = await runIn(folder, ["serve", "--env", "echo", "--url", url]);
  expect([code, stderr]).toEqual([
    1,
    `biplane: ${url} is in use. Use another port, or --url http://127.0.0.1:0 for a free one.\n`,
  ]);
  const underNpm = { npm_lifecycle_event: "start" };
  expect((await runIn(folder, ["serve", "--env", "echo", "--url", url], underNpm)).stderr).toBe(
    `biplane: ${url} is in use. Use another port, or npm start -- --url http://127.0.0.1:0 for a free one.\n`,
  );
  other.close();
});

// Root may write everywhere, so that somebody else is asked to.
test("a store without write permission is an error that says so", needs("another user"), async () => {
  await write("kept.db", "");
  const { code, stderr } = await biplane(["runs", "--store", "kept.db"], { cwd: folder, uid: 65_534 });
  expect(code).toBe(1);
  expect(stderr).toMatch(/(No permission to write to the store|The store cannot be opened)/);
  const made = await biplane(["runs", "--store", "new/store.db"], { cwd: folder, uid: 65_534 });
  expect(made.stderr).toMatch(/No permission to access .*new \(EACCES\)\. Check its permissions with ls -l/);
});

test("a missing optional package is named", async () => {
  const place = join(folder, "elsewhere");
  await mkdir(join(place, "dist"), { recursive: true });
  await write("yaml.yaml", "environments: [echo]\ncode: { languages: [python] }\n");
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const modules = join(place, "node_modules");
  await mkdir(modules);
  for (const name of [
    "@biplane",
    "citty",
    "yaml",
    "@photostructure",
    "ws",
    "chokidar",
    "sucrase",
    "quickjs-wasi",
    "kysely",
    "jsonc-parser",
  ])
    await symlink(join(root, "node_modules", name), join(modules, name));
  const built = join(root, "packages", "biplane");
  for (const name of await readdir(join(built, "dist")))
    if (name.endsWith(".js")) await copyFile(join(built, "dist", name), join(place, "dist", name));
  await copyFile(join(built, "package.json"), join(place, "package.json"));
  const words = [join(place, "dist", "main.js"), "serve", "--config", join(folder, "yaml.yaml")];
  const { code, stderr } = await import("../../support/project.ts").then(({ runToEnd }) =>
    runToEnd(process.execPath, words, { cwd: folder }),
  );
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/needs a package that is not installed. Run: npm install @antonz\/python-wasi/),
  ]);
});

test("the stack is printed only on request", async () => {
  const env = { BIPLANE_DEBUG: "1" };
  const { stderr } = await biplane(["serve", "throws.mjs"], { cwd: folder, env });
  expect(stderr).toMatch(/^biplane: throws\.mjs threw .*\n[\s\S]* at .*throws\.mjs:2/);
  expect(explainError(new BiplaneError("INTERNAL", "plain"), {})).toBe("plain");
  expect(explainError("thrown", {})).toBe("thrown");
  expect(explainError(undefined, {})).toBe("undefined");
});
