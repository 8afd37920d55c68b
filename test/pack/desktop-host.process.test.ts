import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../../packages/biplane/dist/main.js", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-host-"));
});
afterAll(async () => rm(folder, { recursive: true }));

/** What a person writes into a desktop host's settings file. */
interface HostSettings {
  readonly mcpServers: Readonly<Record<string, { command: string; args: string[]; env?: Record<string, string> }>>;
}

/** What a host does with a server of its settings, whichever client it is made of. */
interface Host extends AsyncDisposable {
  listTools(): Promise<{ tools: { name: string }[] }>;
  call(name: string, input: Record<string, unknown>): Promise<Result>;
  /** Whatever came over standard output and was no message. */
  readonly faults: readonly Error[];
}

interface Result {
  readonly content: readonly { type: string; text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

const about = { name: "desktop", version: "1" };
type Start = (settings: HostSettings, cwd: string) => Promise<Host>;

const second =
  (mode: "legacy" | "auto"): Start =>
  async (settings, cwd) => {
    const faults: Error[] = [];
    const client = new ClientV2(about, { versionNegotiation: { mode } });
    Object.assign(client, { onerror: (error: Error) => faults.push(error) });
    await client.connect(new StdioV2({ ...only(settings), cwd, stderr: "ignore" }));
    return {
      faults,
      listTools: () => client.listTools(),
      call: async (name, input) => (await client.callTool({ name, arguments: input })) as Result,
      [Symbol.asyncDispose]: () => client.close(),
    };
  };

const hosts: Record<string, Start> = {
  "SDK v1": async (settings, cwd) => {
    const faults: Error[] = [];
    const client = new ClientV1(about);
    Object.assign(client, { onerror: (error: Error) => faults.push(error) });
    await client.connect(new StdioV1({ ...only(settings), cwd, stderr: "ignore" }));
    return {
      faults,
      listTools: () => client.listTools(),
      call: async (name, input) => (await client.callTool({ name, arguments: input })) as Result,
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
  "SDK v2, older era": second("legacy"),
  "SDK v2, newest era": second("auto"),
};

function only({ mcpServers }: HostSettings) {
  const [entry] = Object.values(mcpServers);
  if (!entry) throw new Error("the settings name no server");
  return entry;
}

/** `packs` and `store` as `biplane.yaml` has them; the place they are in is the host's to say. */
async function hostIn(place: string): Promise<{ settings: HostSettings; root: string; store: string }> {
  await mkdir(place);
  const [root, store, config] = [join(place, "files"), join(place, "biplane.db"), join(place, "biplane.yaml")];
  await writeFile(config, JSON.stringify({ packs: { workspace: { root } }, store }));
  const args = [program, "serve", "--stdio", "--config", config, "--log-level", "debug"];
  return { settings: { mcpServers: { kit: { command: process.execPath, args } } }, root, store };
}

const biplane = (...words: string[]) => promisify(execFile)(process.execPath, [program, ...words]);

describe.each(Object.entries(hosts))("a desktop host made of %s", (name, start) => {
  test("uses every tool of a workspace, and deletes once a person elsewhere agrees", async () => {
    const { settings, root, store } = await hostIn(join(folder, name.replaceAll(/\W+/g, "-")));
    await using host = await start(settings, folder);
    const used = new Set<string>();
    const call = async (tool: string, input: Record<string, unknown>) => {
      used.add(tool);
      return host.call(tool, input);
    };
    const done = async (tool: string, input: Record<string, unknown>) => {
      const result = await call(tool, input);
      if (result.isError) throw new Error(`${tool}: ${result.content[0]?.text}`);
      return result.structuredContent;
    };
    const bytes = "Bücher 🛩\nsecond line\n";
    expect(await done("workspace_write", { path: "notes/a.txt", content: bytes })).toMatchObject({ created: true });
    expect(await done("workspace_read", { path: "notes/a.txt" })).toMatchObject({ content: bytes, encoding: "utf8" });
    await done("workspace_edit", { path: "notes/a.txt", old_text: "second", new_text: "2nd" });
    expect(await done("workspace_search", { query: "2ND" })).toMatchObject({
      matches: [{ line: 2, text: "2nd line" }],
    });
    await done("workspace_move", { from: "notes/a.txt", to: "notes/b.txt" });
    expect(await done("workspace_list", { recursive: true })).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ path: "notes/b.txt" })]) as unknown,
    });
    expect(await readFile(join(root, "notes/b.txt"), "utf8")).toBe(bytes.replace("second", "2nd"));

    const asked = await call("workspace_delete", { path: "notes/b.txt" });
    expect(asked).toMatchObject({
      isError: true,
      _meta: { "dev.biplane/error": { code: "APPROVAL_PENDING", approval: { status: "pending" } } },
    });
    expect(existsSync(join(root, "notes/b.txt"))).toBe(true);
    const { stdout } = await biplane("approvals", "approve", "--all", "--store", store);
    expect(stdout).toMatch(/approved/i);
    expect(await done("workspace_delete", { path: "notes/b.txt" })).toMatchObject({ deleted: 1 });
    expect(existsSync(join(root, "notes/b.txt"))).toBe(false);

    const outside = await call("workspace_read", { path: "../biplane.yaml" });
    expect(outside.isError).toBe(true);
    const { tools } = await host.listTools();
    expect([...used].toSorted()).toEqual(tools.map((tool) => tool.name).toSorted());
    expect(host.faults).toEqual([]);
  });
});

test("--pack alone serves a folder beside the host, and its end is the end of the process", async () => {
  const cwd = join(folder, "alone");
  await mkdir(cwd);
  const child = spawn(process.execPath, [program, "serve", "--stdio", "--pack", "workspace", "--log-level", "debug"], {
    cwd,
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  let logged = "";
  child.stderr.on("data", (chunk: Buffer) => (logged += chunk.toString()));
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  send(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: about });
  send(2, "tools/call", { name: "workspace_write", arguments: { path: "a.txt", content: "here" } });
  send(3, "tools/call", { name: "workspace_read", arguments: { path: "not-there.txt" } });
  send(4, "tools/call", { name: "no_such_tool", arguments: {} });
  child.stdin.write("this is no message\n");
  while (lines.length < 5) await once(reader, "line");
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
  const messages = lines.map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null });
  expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(Array(5).fill("2.0"));
  expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4, null]));
  expect(logged).toContain("workspace_write");
  expect(await readFile(join(cwd, "workspace", "a.txt"), "utf8")).toBe("here");
});
