import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { connect } from "biplane/client";
import { program } from "../support/project.ts";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "biplane-openenv-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an environment speaks MCP over stdio, with an episode for its client", async () => {
  const args = [program, "serve", "--env", "frozen-lake", "--stdio"];
  await using client = await connect({ command: process.execPath, args, cwd: folder });
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["lake_move"]);
  expect((await client.callTool("lake_move", { action: "DOWN" })).structuredContent).toMatchObject({ action: "DOWN" });
});
