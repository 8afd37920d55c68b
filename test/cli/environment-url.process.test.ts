import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allow } from "biplane";
import { connect } from "biplane/client";
import { gallery } from "@biplane/gallery";
import { biplane } from "../support/project.ts";
import { commandLine, runHere } from "./command.ts";

const lake = gallery["frozen-lake"]();
const inProduction = gallery["cliff-walking"]().govern({
  mode: "production",
  policies: [() => allow()],
});
let folder: string;
let url: string;
let closedUrl: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-environment-"));
  ({ url } = await lake.serve("http://127.0.0.1:0"));
  ({ url: closedUrl } = await inProduction.serve("http://127.0.0.1:0"));
});
afterAll(async () => {
  await Promise.all([lake.close(), inProduction.close()]);
  await rm(folder, { recursive: true });
});

test("biplane call goes on in the episode that a reset began", async () => {
  await fetch(`${url}/reset`, { method: "POST", body: '{"seed":42}' });
  for (const position of [4, 8]) {
    const { code, stdout } = await runHere("call", `${url}/mcp`, "lake_move", "action=DOWN");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { position }]);
  }
});

test("biplane call plays an environment in production, without any episode made for it", async () => {
  for (const position of [24, 12]) {
    const { code, stdout } = await runHere("call", `${closedUrl}/mcp`, "cliff_move", "action=UP");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { position }]);
  }
});

test("biplane proxy offers an environment, and its client goes on in one episode", async () => {
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { cliff: { type: "http", url: `${closedUrl}/mcp` } } }));
  await using client = await connect(commandLine("proxy", file), { graceMs: 5000 });
  const up = async () => (await client.callTool("cliff_move", { action: "RIGHT" })).structuredContent;
  const seen = [await up(), await up()] as { position: number }[];
  expect(seen[1]?.position).toBe(Number(seen[0]?.position) + 1);
});

test("a rollout plays an environment in production over MCP", async () => {
  const words = ["rollout", "--url", `${closedUrl}/mcp`, "--kind", "mcp", "--agent", "random", "-n", "1"];
  const played: (string | undefined)[] = [];
  inProduction.watch({ onEnd: ({ episode }) => played.push(episode) });
  const { code } = await biplane([...words, "--steps", "3"], { cwd: folder });
  expect([code, played.length, new Set(played).size]).toEqual([0, 3, 1]);
});
