import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import type { ConnectOptions } from "../../packages/core/src/client/options.ts";
import { within } from "../support/within.ts";
import { bundledScript } from "../support/bundled-script.ts";

const script = fileURLToPath(new URL("odd-server.mjs", import.meta.url));
const odd = (...words: string[]) => ({ command: process.execPath, args: [script, ...words] });
const quiet: ConnectOptions = { era: "legacy", reconnect: { delayMs: 1 } };

describe("a process that is not there, or does not last", () => {
  test("is said to be missing, by name and with the places that were looked in", async () => {
    const missing = connect({ command: "no-such-program" });
    await expect(missing).rejects.toThrow(/Cannot start "no-such-program": not found in PATH \(.+\)/);
    const astray = connect({ command: process.execPath, cwd: "/no/such/folder" });
    await expect(astray).rejects.toThrow("folder /no/such/folder does not exist");
  });

  test("is quoted when it ends early", async () => {
    await expect(connect(odd("dies"))).rejects.toThrow(
      /ended with code 3. Last lines on stderr:\n {2}first line\n {2}the key is missing/,
    );
  });

  test("is started again when it dies, and only what is marked is done again", async () => {
    await using client = await connect(odd("mortal"), quiet);
    const first = client.serverInfo["version"];
    await expect(client.callTool("pay")).rejects.toMatchObject({
      message: expect.stringMatching(/was ended by SIGKILL.*"pay" is not marked/s) as string,
      details: { notRetried: { name: "pay" } },
    });
    expect(await client.callTool("rest")).toMatchObject({ content: [{ type: "text" }] });
    expect(client.serverInfo["version"]).not.toBe(first);
    await expect(client.callTool("look")).rejects.toThrow('tools/call "look" failed 4 times');
  });
});

describe("a process that is not quite proper", () => {
  test("may print other lines; they are reported once and skipped", async () => {
    const warnings: string[] = [];
    await using client = await connect(odd("chatty"), { ...quiet, onWarning: (warning) => warnings.push(warning) });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["look", "pay"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('sent a line that is not an MCP message: "Welcome!"');
  });

  test("may exit on an unknown method; it is restarted and asked in the older protocol", async () => {
    await using client = await connect(odd("strict"));
    expect(client.era).toBe("legacy");
    expect(client.protocolVersion).toBe("2025-06-18");
  });

  test("keeps its own metadata and that of its tools, known or not", async () => {
    await using client = await connect(odd("plain"), quiet);
    expect(client.serverInfo).toMatchObject({ motto: "keep me" });
    expect((await client.listTools())[0]).toMatchObject({ extra: { kept: true }, inputSchema: { type: "object" } });
  });

  test("sees nothing of our environment but what it needs and is given", async () => {
    process.env["BIPLANE_TEST_SECRET"] = "hush";
    // A message keeps the end of what was written, and a PATH may be long.
    const show = "process.stderr.write(JSON.stringify({ ...process.env, PATH: undefined })); process.exit(1)";
    const target = { command: process.execPath, args: ["-e", show], env: { GIVEN: "yes" } };
    const error = await connect(target, quiet).then(String, String);
    delete process.env["BIPLANE_TEST_SECRET"];
    expect(error).toContain('"GIVEN":"yes"');
    expect(error).not.toContain("hush");
  });
});

describe("nothing is left behind", () => {
  test("when a client is closed, by a process that ignores signals or by its children", async () => {
    using folder = temporaryFolder();
    const client = await connect(odd("family", folder.file), { ...quiet, graceMs: 50 });
    const pids = folder.pids();
    expect(pids.map(isAlive)).toEqual([true, true]);
    await client.close();
    await gone(pids);
  });

  test("when the client's own process is killed", async () => {
    using folder = temporaryFolder();
    const words = [bundledScript(new URL("parent-child.ts", import.meta.url), []), script, folder.file];
    const child = spawn(process.execPath, words, { stdio: "ignore" });
    await within(15_000, "the end of the parent", new Promise((resolve) => child.once("exit", resolve)));
    expect(child.signalCode).toBe("SIGKILL");
    await gone(folder.pids());
  });
});

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "biplane-client-"));
  const file = join(path, "pids.json");
  return {
    file,
    pids: () => JSON.parse(readFileSync(file, "utf8")) as number[],
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

/** The system tells nobody of the end of a outsider's process, so this looks until it is over. */
async function gone(pids: readonly number[]): Promise<void> {
  const look = async () => {
    while (pids.some(isAlive)) await new Promise((resolve) => setImmediate(resolve));
  };
  await within(10_000, "the end of what was started", look());
}
