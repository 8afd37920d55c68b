import { execFileSync } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { biplane } from "../../support/project.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runIn } from "../command.ts";

/** The bundle format's own tool. */
const mcpb = fileURLToPath(new URL("../../../node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", import.meta.url));

test("a project becomes a bundle that its own tool accepts, unpacks and a client starts", async () => {
  await using folder = await temporaryFolder();
  const project = join(folder.path, "shop");
  await runIn(folder.path, ["init", "shop", "--javascript"]);
  const config = await readFile(join(project, "biplane.yaml"), "utf8");
  await writeFile(join(project, "biplane.yaml"), `${config}\nsecrets: { values: { SHOP_KEY: "\${SHOP_KEY}" } }\n`);
  const { code, stdout, stderr } = await biplane(["bundle"], { cwd: project, timeoutMs: 240_000 });
  expect([code, stderr]).toEqual([0, "Installing packages …\n"]);
  expect(stdout).toMatch(/shop\.mcpb \(\d+ files, 2 tools\)/);
  expect((await runIn(project, ["bundle"])).stderr).toMatch(/already exists. Pass --force/);

  const unpacked = join(folder.path, "unpacked");
  execFileSync(process.execPath, [mcpb, "unpack", join(project, "shop.mcpb"), unpacked], { stdio: "pipe" });
  const validated = execFileSync(process.execPath, [mcpb, "validate", join(unpacked, "manifest.json")]);
  expect(String(validated)).toContain("passes");
  const manifest = JSON.parse(await readFile(join(unpacked, "manifest.json"), "utf8")) as Manifest;
  expect(manifest.tools.map(({ name }) => name)).toEqual(["get_order", "refund_order"]);
  expect(manifest.user_config).toMatchObject({ shop_key: { type: "string", sensitive: true, required: true } });
  expect(manifest.compatibility.runtimes.node).toBe(">=20.19.0");

  // As a host does, with the values that its user gives.
  const { command, args, env } = manifest.server.mcp_config;
  const home = join(folder.path, "home");
  await mkdir(home);
  const fill = (text: string) =>
    text
      .replaceAll("${__dirname}", unpacked)
      .replaceAll("${HOME}", home)
      .replaceAll("${user_config.shop_key}", "k".repeat(20));
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: command === "node" ? process.execPath : command,
      args: args.map(fill),
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)])),
      stderr: "ignore",
    }),
  );
  const { structuredContent } = await client.callTool({ name: "get_order", arguments: { id: "A-1" } });
  expect(structuredContent).toMatchObject({ item: "lamp" });
  await client.close();
  await stat(join(home, ".biplane", "shop", "store.db"));
}, 400_000);

interface Manifest {
  readonly tools: readonly { readonly name: string }[];
  readonly user_config: unknown;
  readonly compatibility: { readonly runtimes: { readonly node: string } };
  readonly server: {
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };
  };
}

test("without anything to serve it says what to pass", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await runIn(folder.path, ["bundle"]);
  expect([code, stderr]).toEqual([2, "biplane: There is no biplane.yaml here. Pass a file or --env.\n"]);
});
