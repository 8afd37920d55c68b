import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Server } from "biplane";
import { connectAll } from "../../../packages/core/src/client/config/connect-all.ts";
import type { ConnectAllOptions } from "../../../packages/core/src/client/config/connect-all.ts";
import { connect, readServers } from "biplane/client";
import type { Interceptor } from "../../../packages/core/src/client/intercept.ts";
import { everything, everythingOverHttp } from "../mount/everything.ts";

const filesystem = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", import.meta.url),
);

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "biplane-connect-all-")));
});
afterAll(async () => rm(folder, { recursive: true }));

const files = () => ({ command: process.execPath, args: [filesystem, folder] });
const gateway = (): Server => server({ name: "gateway", version: "1", limits: false, onFault: () => undefined });
const names = (of: Server) => Array.from(of.tools, ({ name }) => name);

async function mounted(servers: Parameters<typeof connectAll>[1], options: ConnectAllOptions = {}) {
  const of = gateway();
  const failures: Record<string, string> = {};
  const onFailure = (name: string, error: Error) => void (failures[name] = error.message);
  const there = await connectAll(of, servers, { graceMs: 100, onFailure, ...options });
  return { of, failures, there };
}

describe("several servers as one", () => {
  test("come from a file, over stdio and HTTP, and failures are reported", async () => {
    await using web = await everythingOverHttp();
    const file = join(folder, "claude_desktop_config.json");
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: {
          files: { command: "${NODE}", args: [filesystem, folder] },
          web: { url: web.url },
          gone: { command: "no-such-program-anywhere" },
          dies: { command: "${NODE}", args: ["-e", "console.error('out of luck'); process.exit(3)"] },
          refused: { url: "http://127.0.0.1:1/mcp" },
        },
      }),
    );
    const { servers } = await readServers(file, { environment: { NODE: process.execPath } });
    const { of, failures, there } = await mounted(servers, { reconnect: { attempts: 0 } });
    try {
      expect([...there.keys()]).toEqual(["files", "web"]);
      expect(names(of)).toEqual(expect.arrayContaining(["write_file", "echo", "get-sum"]));
      expect(failures).toEqual({
        gone: expect.stringContaining("not found in PATH") as string,
        dies: expect.stringContaining("out of luck") as string,
        refused: expect.stringContaining("127.0.0.1:1") as string,
      });
      await of.call("write_file", { path: join(folder, "a.txt"), content: "hello" });
      expect(await of.call("read_text_file", { path: join(folder, "a.txt") })).toMatchObject({ content: "hello" });
    } finally {
      await of.close();
    }
  });

  test("get their names in front where two have one name, and resources stay with the first", async () => {
    const { of, failures } = await mounted({ one: everything, "the other!": everything });
    try {
      expect(failures).toEqual({});
      expect(names(of)).toEqual(expect.arrayContaining(["echo", "the_other__echo"]));
      expect(await of.call("the_other__echo", { message: "hi" })).toMatchObject([{ text: "Echo: hi" }]);
    } finally {
      await of.close();
    }
  });

  test("with prefixes forbidden, a name collision is an error that names both servers, and nothing is mounted", async () => {
    const { of, failures } = await mounted({ one: files(), two: files() }, { prefix: "never" });
    const alone = await mounted({ one: files() });
    try {
      expect(failures).toEqual({
        two: '"read_file" is offered by one and by two, and prefixes are off. Remove one server, or allow prefixes.',
      });
      expect(names(of)).toEqual(names(alone.of));
    } finally {
      await of.close();
      await alone.of.close();
    }
  });
});

test("calls of a mounted server go through interceptors", async () => {
  const seen: unknown[] = [];
  const aloud: Interceptor = async (call, next) => {
    if (call.method !== "tools/call") return next(call);
    seen.push(call.params["name"]);
    const { message } = call.params["arguments"] as { message: string };
    return next({ ...call, params: { ...call.params, arguments: { message: message.toUpperCase() } } });
  };
  const { of } = await mounted({ everything }, { intercept: [aloud] });
  try {
    expect(await of.call("echo", { message: "hi" })).toMatchObject([{ text: "Echo: HI" }]);
    expect(seen).toEqual(["echo"]);
  } finally {
    await of.close();
  }
});

test("a mount that fails halfway leaves nothing behind", async () => {
  const parent = server({ name: "parent", version: "1", tools: [tool({ name: "b", run: () => "mine" })] });
  const child = server({
    name: "child",
    version: "1",
    tools: ["a", "b"].map((name) => tool({ name, run: () => name })),
  });
  expect(() => parent.mount("child", child, { prefix: "never" })).toThrow("is already taken");
  await using client = await connect(parent);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["b"]);
});
