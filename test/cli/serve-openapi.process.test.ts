import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "biplane/client";
import { expect, test } from "vitest";
import { biplane } from "../support/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "./command.ts";

const documentOf = (operations: number) =>
  JSON.stringify({
    openapi: "3.1.0",
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, at) => [`/p${at}`, { get: { operationId: `read_${at}` } }]),
    ),
  });

test.each([
  [3, ["read_0", "read_1", "read_2"]],
  [60, ["search_tools", "get_tool_schema", "call_tool"]],
])("a document of %i operations is served; many are disclosed", async (operations, listed) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "api.json");
  await writeFile(file, documentOf(operations));
  await using client = await connect(
    commandLine("serve", "--openapi", file, "--base-url", "http://127.0.0.1:9", "--stdio"),
  );
  expect((await client.listTools()).map(({ name }) => name)).toEqual(listed);
});

test("a document that is missing, and a --base-url without one, are errors", async () => {
  await using folder = await temporaryFolder();
  const serve = (...words: string[]) => biplane(["serve", ...words, "--stdio"], { cwd: folder.path });
  expect((await serve("--openapi", "none.yaml")).stderr).toMatch(/^biplane: openapi: cannot read \S+none\.yaml/);
  expect((await serve("--base-url", "http://x")).stderr).toMatch(/--base-url belongs to --openapi/);
});
