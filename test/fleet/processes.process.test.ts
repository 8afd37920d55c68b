import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "biplane/store";
import { listProcesses } from "../../packages/biplane/src/fleet/processes.ts";
import { freePort } from "../support/free-port.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { biplane } from "../support/project.ts";
import { ServerProcess } from "./server-process.ts";

describe("several processes on one port", needsPostgres, () => {
  let postgres: TestPostgres | undefined;
  let folder: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), "biplane-processes-"));
    writeFileSync(join(folder, "counter.mjs"), counter);
  }, 120_000);
  afterAll(async () => {
    await postgres?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it("serve episodes that live in one of them, replace those that die, and end together", async () => {
    const store = await (postgres as TestPostgres).database();
    const port = await freePort();
    const args = [join(folder, "counter.mjs"), "--processes", "2", "--store", store];
    const server = new ServerProcess({ port, args, env: { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64") } });
    await server.start();
    await using opened = await openStore(store);
    const others = async () => (await listProcesses(opened)).flatMap(({ address }) => address ?? []);
    await until(async () => (await others()).length === 2);
    // Each also has a port of its own, for the others only.
    const [first = "", second = ""] = await others();
    const url = `http://127.0.0.1:${port}`;
    expect(new Set([first, second, url]).size).toBe(3);
    expect(await post(`${first}/control/episodes`, {})).toMatchObject({ error: "FORBIDDEN" });
    // Connections reach any of them, and an episode lives in the one that started it.
    const ids = new Map<string, string>();
    await until(async () => {
      const { id } = (await post(`${url}/control/episodes`, {})) as { id: string };
      ids.set(id.slice(id.lastIndexOf("-")), id);
      return ids.size === 2;
    });
    for (const id of ids.values())
      for (let count = 1; count <= 6; count++)
        expect(await post(`${url}/e/${id}/mcp/execute`, { tool: "add" })).toMatchObject({ result: String(count) });
    // Also with a token in the path, which is not part of what is signed.
    for (const id of ids.values())
      for (let count = 7; count <= 12; count++)
        expect(await post(`${url}/k/any/e/${id}/mcp/execute`, { tool: "add" })).toMatchObject({
          result: String(count),
        });

    const { result } = (await post(`${url}/e/${[...ids.values()][0]}/mcp/execute`, { tool: "pid" })) as {
      result: string;
    };
    process.kill(Number(result), "SIGKILL");
    await until(async () => {
      const now = await others();
      return now.length === 2 && !(now.includes(first) && now.includes(second));
    });
    expect(await post(`${url}/control/episodes`, {})).toHaveProperty("id");

    const workers = execFileSync("ps", ["-o", "pid=", "--ppid", String(server.pid)], { encoding: "utf8" });
    expect(workers.trim().split("\n")).toHaveLength(2);
    await server.end("SIGTERM");
    for (const pid of workers.trim().split("\n")) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  it("need a store that they share, and a port", async () => {
    const file = join(folder, "counter.mjs");
    const inMemory = await biplane(["serve", file, "--processes", "2"], { cwd: folder });
    expect(inMemory).toMatchObject({ code: 1 });
    expect(inMemory.stderr).toContain("--processes 2 needs a store that processes share. Set --store postgres://");
    const overStdio = await biplane(["serve", file, "--processes", "2", "--stdio", "--store", "postgres://x/y"], {
      cwd: folder,
    });
    expect(overStdio.stderr).toContain("--processes 2 needs a port");
  });
});

/** An environment that keeps something in its process, and says in which. */
const counter = `
import { environment } from ${JSON.stringify(new URL("../../packages/biplane/dist/index.js", import.meta.url).href)};
export default environment({
  name: "counter",
  open: () => ({ count: 0 }),
  start: () => ({}),
  observe: () => "",
  tools: (tool) => ({
    add: tool({ run: (_, { live }) => String(++live.count) }),
    pid: tool({ run: () => String(process.pid) }),
  }),
});
`;

/** On a connection of its own. */
async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const sent = request(url, { method: "POST", headers, agent: false }).end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return json(response);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 100));
}
