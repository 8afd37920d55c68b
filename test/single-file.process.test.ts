import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "./support/needs.ts";
import { newUserFolder, packedPackages } from "./support/packed.ts";
import { runToEnd } from "./support/project.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const script = fileURLToPath(new URL("../scripts/single-file.mjs", import.meta.url));
  // A release passes the packed packages. To install them once more takes long.
  const isSoak = process.env["BIPLANE_SOAK"] === "1";
  const packages = isSoak ? await packedPackages() : join(await newUserFolder(), "home");
  const { code, stderr } = await runToEnd(process.execPath, [script, folder.path, packages], {
    cwd: folder.path,
    timeoutMs: 400_000,
  });
  if (code !== 0) throw new Error(stderr);
}, 420_000);
afterAll(() => folder[Symbol.asyncDispose]());

const programs = [
  ["biplane.mjs, with Node", () => [process.execPath, join(folder.path, "biplane.mjs")]],
  ["the binary, without Node", () => [join(folder.path, "biplane")]],
] as const;

describe.each(programs)("%s", needs("linux"), (_, commandOf) => {
  // Neither Node nor npm can be found.
  const environment = () => ({ PATH: "/nowhere", HOME: folder.path, XDG_CACHE_HOME: join(folder.path, "cache") });
  const run = (...words: string[]) => {
    const [command = "", ...args] = commandOf();
    return runToEnd(command, [...args, ...words], { cwd: folder.path, env: environment() });
  };

  test("says its version and nothing else", async () => {
    expect(await run("--version")).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test("serves an environment with a store to a client", async () => {
    const [command = "", ...args] = commandOf();
    const client = new Client({ name: "host", version: "1.0.0" });
    const serve = ["serve", "--env", "frozen-lake", "--store", join(folder.path, "store.db"), "--stdio"];
    await client.connect(
      new StdioClientTransport({ command, args: [...args, ...serve], env: environment(), stderr: "ignore" }),
    );
    const { content } = await client.callTool({ name: "lake_move", arguments: { action: "DOWN" } });
    expect(content).toHaveLength(1);
    await client.close();
  });

  test("runs code in a worker, and installs itself into a host", async () => {
    expect((await run("starlark", "-c", "[n * n for n in range(3)]")).stdout).toBe("[0, 1, 4]\n");
    const { stdout } = await run("install", "cursor", "taxi", "--dry-run");
    expect(stdout).toContain(JSON.stringify(commandOf()[0]));
    expect(stdout).not.toContain(join(folder.path, "cache"));
  });
});
