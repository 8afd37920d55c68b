import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/core/src/client/client.ts";
import { connect } from "biplane/client";
import type { ConnectOptions } from "../../packages/core/src/client/options.ts";
import { everything, everythingOverHttp } from "../client/mount/everything.ts";
import { commandLine, runHere } from "./command.ts";

const filesystem = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", import.meta.url),
);
const options: ConnectOptions = {
  clientInfo: { name: "test", version: "1" },
  graceMs: 5000,
  answers: {
    form: () => ({ action: "accept", content: { name: "Ada", check: true } }),
    link: () => ({ action: "accept" }),
    sample: () => ({ role: "assistant", content: { type: "text", text: "Something" }, model: "m" }),
  },
};

let folder: string;
let file: string;
let web: Awaited<ReturnType<typeof everythingOverHttp>>;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "biplane-proxy-")));
  file = join(folder, "mcp.json");
  web = await everythingOverHttp();
  const servers = {
    files: { command: process.execPath, args: [filesystem, folder] },
    local: everything,
    web: { type: "http", url: web.url },
    gone: { command: "no-such-program-anywhere" },
    off: { command: "no-such-program-either", disabled: true },
  };
  await writeFile(file, `// servers\n${JSON.stringify({ mcpServers: servers })}`);
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** What goes through a proxy as it does directly. */
async function tryAll(client: Client): Promise<void> {
  const names = (await client.listTools()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["write_file", "echo", "web_echo", "get-sum", "web_get-sum"]));
  const path = join(folder, `${client.era}.txt`);
  await client.callTool("write_file", { path, content: "through" });
  expect(await client.callTool("read_text_file", { path })).toMatchObject({ content: [{ text: "through" }] });
  for (const prefix of ["", "web_"]) {
    expect(await client.callTool(`${prefix}echo`, { message: "hi" })).toMatchObject({
      content: [{ text: "Echo: hi" }],
    });
    const wrong = await client.callTool(`${prefix}get-sum`, { a: "two" });
    expect(wrong.isError).toBe(true);
    const told: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void told.push(progress);
    await client.callTool(`${prefix}trigger-long-running-operation`, { duration: 0.1, steps: 2 }, { onProgress });
    expect(told).toEqual([1, 2]);
    expect(JSON.stringify(await client.callTool(`${prefix}trigger-elicitation-request`))).toContain("Ada");
    const sampled = await client.callTool(`${prefix}trigger-sampling-request`, { prompt: "Say", maxTokens: 5 });
    expect(JSON.stringify(sampled)).toContain("Something");
  }
  expect((await client.listPrompts()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["simple-prompt", "web_simple-prompt"]),
  );
  expect((await client.readResource("demo://resource/dynamic/text/7")).contents[0]?.text).toContain("Resource 7");
}

describe("biplane proxy serves many as one", () => {
  test("over stdio, in both eras", async () => {
    const play = async (era: "legacy" | "modern") => {
      const said: string[] = [];
      const onStderr = (line: string) => void said.push(line);
      await using client = await connect(commandLine("proxy", file), { ...options, era, onStderr });
      await tryAll(client);
      expect(said.join("\n")).toMatch(/Skipping gone: Cannot start "no-such-program-anywhere"/);
      expect(said.join("\n")).not.toContain("either");
    };
    await Promise.all([play("legacy"), play("modern")]);
  });

  test("over HTTP, in both eras, with every name prefixed or hidden behind three", async () => {
    const [plain, hidden] = await Promise.all([
      listening("proxy", file, "--url", "http://127.0.0.1:0"),
      listening(
        "proxy",
        file,
        "--url",
        "http://127.0.0.1:0",
        "--prefix",
        "always",
        "--disclose",
        "--always",
        "web_echo",
      ),
    ]);
    try {
      for (const era of ["legacy", "modern"] as const) {
        await using client = await connect(`${plain.url}/mcp`, { ...options, era });
        await tryAll(client);
      }
      await using client = await connect(`${hidden.url}/mcp`, options);
      const names = (await client.listTools()).map(({ name }) => name);
      expect(names).toEqual(["web_echo", "search_tools", "get_tool_schema", "call_tool"]);
      const found = await client.callTool("search_tools", { query: "add two numbers" });
      expect(JSON.stringify(found.structuredContent ?? found.content)).toContain("local_get-sum");
      const called = await client.callTool("call_tool", { name: "local_get-sum", arguments: { a: 2, b: 3 } });
      expect(JSON.stringify(called.content)).toContain("5");
    } finally {
      await Promise.all([stop(plain.child), stop(hidden.child)]);
    }
  });

  test("and ends with one clear line where prefixes are forbidden and needed, or nothing can be served", async () => {
    const alone = join(folder, "alone.json");
    await writeFile(alone, '{"mcpServers": {"gone": {"command": "no-such-program"}}}');
    const never = await runHere("proxy", file, "--prefix", "never");
    const none = await runHere("proxy", alone);
    const odd = await runHere("proxy", file, "--prefix", "sometimes");
    const bad = await runHere("proxy", join(folder, "nothing.json"));
    expect(never).toMatchObject({ code: 1, stdout: "" });
    expect(never.stderr).toMatch(/"echo" is offered by local and by web, and prefixes are off/);
    expect(none.stderr).toContain('Cannot start "no-such-program": not found in PATH');
    expect(odd.stderr).toContain('--prefix must be one of always, collision, never, not "sometimes"');
    expect(bad.stderr).toContain("does not exist");
  });
});

test("biplane serve --gym plays the servers of a file, with a reward of the user's own", async () => {
  const gym = join(folder, "gym.json");
  const reward = join(folder, "reward.mjs");
  await writeFile(
    gym,
    JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [filesystem, "${episodeFolder}"] } } }),
  );
  await writeFile(
    reward,
    `import { existsSync } from "node:fs";
     export default ({ folder }) => (existsSync(folder + "/done") ? 1 : 0);
     export const status = (state, { stepCount }) => ({ terminated: stepCount >= 2 });`,
  );
  const { url, child } = await listening("serve", "--gym", gym, "--reward", reward, "--url", "http://127.0.0.1:0");
  try {
    const episode = (await (await fetch(`${url}/control/episodes`, { method: "POST", body: "{}" })).json()) as {
      id: string;
    };
    await using agent = await connect(`${url}/e/${episode.id}/mcp`);
    const { content } = await agent.callTool("list_allowed_directories");
    const own = /\/[^\s"\\]*biplane-episode-\w+/.exec(JSON.stringify(content))?.[0] ?? "";
    await agent.callTool("write_file", { path: join(own, "done"), content: "" });
    const about = (await (await fetch(`${url}/control/episodes/${episode.id}`)).json()) as object;
    expect(about).toMatchObject({ terminated: true });
    expect(JSON.stringify(about)).toMatch(/"(total_?[rR]eward|reward)":1/);
  } finally {
    await stop(child);
  }
  const odd = join(folder, "odd.mjs");
  await writeFile(odd, "export const rewrad = () => 1;");
  const wrong = await runHere("serve", "--gym", gym, "--reward", odd, "--url", "http://127.0.0.1:0");
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("exports rewrad, which is not an option. Did you mean reward?") as string,
  });
});

/** Starts a command that listens, and waits until it does. */
async function listening(...words: Parameters<typeof commandLine>): Promise<{ url: string; child: ChildProcess }> {
  const { command, args } = commandLine(...words);
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.includes("Ctrl-C")) break;
  }
  child.stderr.resume();
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(said.join("\n"))?.[0] ?? said.join("\n"), child };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}
