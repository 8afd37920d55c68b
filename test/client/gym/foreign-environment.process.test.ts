import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Environment, Listening } from "biplane";
import { connect } from "biplane/client";
import { foreignEnvironment } from "../../../packages/core/src/client/gym/foreign-environment.ts";
import { everything } from "../mount/everything.ts";
import { openSocket } from "./trainer-socket.ts";

const filesystem = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", import.meta.url),
);
const servers = { files: { command: process.execPath, args: [filesystem, "${episodeFolder}"] } };
const folders: string[] = [];

describe("a foreign server as an environment", () => {
  let play: Environment;
  let served: Listening;

  beforeAll(async () => {
    play = await foreignEnvironment({
      name: "write-hello",
      servers,
      reward: ({ folder, outcome, after }) => {
        folders.push(folder);
        if (outcome.status !== "done") throw new Error("only what was done is rewarded");
        if (after.calls.at(-1)?.isError) return -0.1;
        const file = join(folder, "hello.txt");
        return existsSync(file) && readFileSync(file, "utf8") === "hello" ? 1 : 0;
      },
      status: async (_, { call, stepCount }) => {
        const { content } = await call("list_allowed_directories");
        if (content[0]?.type !== "text") throw new Error("the judge can look at the servers");
        return { terminated: false, truncated: stepCount >= 4 };
      },
    });
    served = await play.serve("http://127.0.0.1:0");
  });
  afterAll(() => play.close());

  test("plays over OpenEnv's socket, each episode in a folder of its own", async () => {
    const [first, second] = await Promise.all([openSocket(served.url), openSocket(served.url)]);
    const reset = await first.ask({ type: "reset", data: {} });
    expect(reset["observation"]).toMatchObject({ tools: expect.arrayContaining(["write_file"]) as string[] });
    const folder = await folderOf(first);
    const write = { tool_name: "write_file", arguments: { path: join(folder, "hello.txt"), content: "hello" } };
    const right = await first.ask({ type: "step", data: { type: "call_tool", ...write } });
    expect(right).toMatchObject({ reward: 1, done: false, observation: { tool_name: "write_file", error: null } });
    await second.ask({ type: "reset", data: {} });
    expect(await folderOf(second)).not.toBe(folder);
    await Promise.all([first.close(), second.close()]);
  });

  test("a failed tool result is a step with its reward, and is reported as an error", async () => {
    const trainer = await openSocket(served.url);
    await trainer.ask({ type: "reset", data: {} });
    const read = { tool_name: "read_text_file", arguments: { path: "/etc/passwd" } };
    const answer = await trainer.ask({ type: "step", data: { type: "call_tool", ...read } });
    expect(answer["reward"]).toBe(-0.1);
    expect(answer["observation"]).toMatchObject({ result: { is_error: true } });
    expect(JSON.stringify(answer["observation"])).toContain("Access denied");
    await trainer.close();
    await using agent = await connect(`${served.url}/mcp`, { era: "legacy" });
    expect(await agent.callTool("read_text_file", read.arguments)).toMatchObject({ isError: true });
  });

  test("plays over MCP, with Eval Protocol's control plane beside it", async () => {
    const id = "0123456789abcdef0123456789abcdef";
    const clientInfo = { name: "ep", version: "1", _extra: { session_id: id, seed: 1, config: {} } };
    await using agent = await connect(`${served.url}/mcp`, { era: "legacy", clientInfo });
    const control = async (name: string) =>
      (await (await fetch(`${served.url}/control/${name}`, { headers: { "mcp-session-id": id } })).json()) as object;
    expect(await control("initial_state")).toMatchObject({ tools: expect.any(Array) as unknown });
    const { content } = await agent.callTool("list_allowed_directories");
    const [, folder = ""] = /(\/\S+)/.exec(JSON.stringify(content).replace(/\\n/g, " ").replace(/"/g, " ")) ?? [];
    expect(await control("reward")).toMatchObject({ reward: 0, step_count: 1 });
    await agent.callTool("write_file", { path: join(folder, "hello.txt"), content: "hello" });
    expect(await control("reward")).toMatchObject({ reward: 1, step_count: 2 });
    await agent.callTool("list_directory", { path: folder });
    await agent.callTool("list_directory", { path: folder });
    expect(await control("status")).toMatchObject({ truncated: true, total_reward: 3 });
    expect(await agent.callTool("list_directory", { path: folder })).toMatchObject({ isError: true });
  });

  test("leaves no folder behind", async () => {
    await play.close();
    expect(folders.length).toBeGreaterThan(0);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});

test("several servers play as one; one that cannot be reached is left out, in every episode", async () => {
  const failed: string[] = [];
  await using play = await foreignEnvironment({
    name: "two",
    servers: { ...servers, everything, gone: { command: "no-such-program-anywhere" } },
    prefix: "always",
    connect: { graceMs: 100 },
    onFailure: (name) => void failed.push(name),
    reward: ({ after }) => after.calls.length,
  });
  const episode = await play.start();
  await play.call(episode, "everything_echo", { message: "hi" });
  await play.call(episode, "files_list_allowed_directories");
  expect([failed, episode.last.reward]).toEqual([["gone"], 2]);
  expect(episode.state).toMatchObject({
    calls: [{ tool: "everything_echo", input: { message: "hi" }, isError: false }, {}],
  });
});

test("without an error handler, an unreachable server is an error", async () => {
  await expect(foreignEnvironment({ name: "x", servers: { gone: { command: "no-such-program" } } })).rejects.toThrow(
    /^gone: Cannot start "no-such-program"/,
  );
  await expect(foreignEnvironment({ name: "x", servers: {} })).rejects.toThrow("offer no tools");
});

test("shared servers serve all episodes over one connection, with a transcript for each", async () => {
  const seen = new Set<string>();
  const play = await foreignEnvironment({
    name: "shared",
    servers: { files: servers.files },
    shared: true,
    reward: ({ folder, after }) => {
      seen.add(folder);
      return after.calls.length;
    },
  });
  const [one, two] = await Promise.all([play.start(), play.start()]);
  await play.call(one, "list_allowed_directories");
  await play.call(two, "list_allowed_directories");
  await play.call(two, "list_allowed_directories");
  expect([one.last.reward, two.last.reward, seen.size]).toEqual([1, 2, 1]);
  await play.close();
  expect([...seen].filter((folder) => existsSync(folder))).toEqual([]);
});

async function folderOf(trainer: Awaited<ReturnType<typeof openSocket>>): Promise<string> {
  const answer = await trainer.ask({
    type: "step",
    data: { type: "call_tool", tool_name: "list_allowed_directories" },
  });
  return /\/[^\s"\\]*biplane-episode-\w+/.exec(JSON.stringify(answer))?.[0] ?? "";
}
