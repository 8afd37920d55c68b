import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, expect, test } from "vitest";
import { program } from "../support/project.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-openpact-host-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "scripts"));
writeFileSync(join(folder, "scripts/new_feature.star"), "result = 1\n");
writeFileSync(join(folder, "biplane.yaml"), "packs: { script: { root: ./scripts } }\n");

test("a host of SDK 1.x, which has listed the tools, learns that a script is pending", async () => {
  const client = new Client({ name: "host", version: "1" });
  const args = [program, "serve", "--stdio"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: "ignore" }));
  await client.listTools();
  const result = await client.callTool({ name: "script_run", arguments: { name: "new_feature" } });
  expect(result).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("is pending approval") }],
  });
  expect(result["_meta"]).toMatchObject({ "dev.biplane/error": { code: "APPROVAL_PENDING" } });
  await client.close();
});
