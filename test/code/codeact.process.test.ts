import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Server } from "biplane";
import { foreignEnvironment } from "biplane/client";
import { filesystemPack } from "biplane/packs";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeEngine } from "../../packages/biplane/src/code/engine.ts";
import { engineFor } from "./engine-for.ts";

/** OpenEnv's proposal, as it is written there, and the same in JavaScript. */
const proposal = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;
const inJavaScript = `
const text = await read_text_file("~/file.txt", { head: 100 });
return text.split("\\n").filter((l) => l.includes("needle"));
`;
const programs: Readonly<Record<string, string>> = { javascript: inJavaScript, python: proposal, starlark: proposal };
const languages = Object.keys(programs);

const home = realpathSync(mkdtempSync(join(tmpdir(), "biplane-codeact-")));
writeFileSync(join(home, "file.txt"), "hay\na needle here\nhay\n");
afterAll(() => rmSync(home, { recursive: true }));

const resolved = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json");
const reference = {
  command: process.execPath,
  args: [join(dirname(resolved), "dist/index.js"), home],
  env: { HOME: home },
};

const engines = languages.map((language) => engineFor(language));
afterAll(() => Promise.all(engines.map((engine: CodeEngine) => engine.close())));

const makers: Readonly<Record<string, () => Promise<Server>>> = {
  "the filesystem pack": async () =>
    server({ name: "files", version: "1", limits: false, packs: [filesystemPack({ roots: [home] })] }),
  "the reference server, mounted": async () => {
    const gateway = server({ name: "files", version: "1", limits: false });
    await gateway.mount("files", reference, { onStderr: () => undefined });
    return gateway;
  },
};

describe.each(Object.entries(makers))("with %s", (_, make) => {
  let gateway: Server;
  beforeAll(async () => {
    gateway = await make();
    codeTool(gateway, { engines });
  });
  afterAll(() => gateway.close());
  const run = async (code: string, language: string) =>
    (await gateway.call("run_code", { code, language })) as CodeAnswer;

  test.each(languages)("reading a file gives its text: %s", async (language) => {
    expect(await run(programs[language] as string, language)).toMatchObject({ result: ["a needle here"], error: null });
  });

  test.each(["python", "starlark"])(
    "list_tools() is a list of names, and return works at the top: %s",
    async (language) => {
      expect(await run("\nreturn [t for t in list_tools() if 'directory' in t]\n", language)).toMatchObject({
        result: expect.arrayContaining(["list_directory", "directory_tree"]) as unknown,
        error: null,
      });
    },
  );

  test("the signatures say that the tools give text", () => {
    expect(gateway.find("run_code")?.description).toMatch(/read_text_file\(.*\): Promise<string>/);
  });
});

test.each(languages)(
  "an environment made of the reference server takes the same code as a step: %s",
  async (language) => {
    await using environment = await foreignEnvironment({
      name: "files",
      servers: { files: reference },
      connect: { onStderr: () => undefined },
    });
    codeTool(environment, { engines });
    const episode = await environment.start({ seed: 1 });
    const answer = await environment.call(episode, "run_code", { code: programs[language], language });
    expect(answer).toMatchObject({ result: ["a needle here"], error: null });
    expect(episode.stepCount).toBe(1);
  },
);

const object = (properties: Record<string, object>) =>
  ({ type: "object", properties, required: Object.keys(properties) }) as const;

test.each([
  ["content, a text", object({ content: { type: "string" } }), { content: "a" }, "a"],
  ["result, a text", object({ result: { type: "string" } }), { result: "a" }, "a"],
  ["result, a list", object({ result: { type: "array" } }), { result: [1, 2] }, [1, 2]],
  ["content, a list", object({ content: { type: "array" } }), { content: [1] }, { content: [1] }],
  ["another name", object({ name: { type: "string" } }), { name: "a" }, { name: "a" }],
  [
    "two properties",
    object({ content: { type: "string" }, size: {} }),
    { content: "a", size: 1 },
    { content: "a", size: 1 },
  ],
  ["more than the schema says", object({ result: {} }), { result: 1, more: 2 }, { result: 1, more: 2 }],
])("only a wrapper is taken off a result: %s", async (_, output, value, expected) => {
  const act = tool({ name: "act", output: { ...output, additionalProperties: true }, run: () => value });
  await using gateway = server({ name: "one", version: "1", limits: false, tools: [act] });
  codeTool(gateway, { engines });
  expect(await gateway.call("run_code", { code: "await act()" })).toMatchObject({ result: expected, error: null });
});
