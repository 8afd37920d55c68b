import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, connect, connectEnvironment } from "biplane/client";
import type { Client, ConnectOptions, ToolResult } from "biplane/client";
import { environmentFromRecording, readSessionRecordings } from "biplane/recording";
import { everything } from "../client/mount/everything.ts";
import { commandLine, runBiplane } from "../cli/command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const options: ConnectOptions = {
  clientInfo: { name: "test", version: "1" },
  era: "legacy",
  graceMs: 5000,
  answers: {
    form: () => ({ action: "accept", content: { name: "Ada", check: true } }),
    link: () => ({ action: "accept" }),
    sample: () => ({ role: "assistant", content: { type: "text", text: "Something" }, model: "m" }),
  },
};

const calls: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ["echo", { message: "hello" }],
  ["get-sum", { a: 2, b: 40 }],
  ["get-sum", { a: "two" }],
  ["get-structured-content", { location: "Chicago" }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-tiny-image", {}],
  ["get-resource-links", { count: 2 }],
  ["trigger-elicitation-request", {}],
  ["trigger-sampling-request", { prompt: "Say", maxTokens: 5 }],
  ["echo", { message: "bye" }],
];

interface Seen {
  readonly tools: unknown;
  readonly prompts: unknown;
  readonly answers: readonly unknown[];
}

async function look(client: Client): Promise<Seen> {
  const answers: unknown[] = [];
  for (const [tool, input] of calls) answers.push(plain(await client.callTool(tool, input)));
  answers.push(
    await client.readResource("demo://resource/static/document/features.md"),
    await client.getPrompt("simple-prompt"),
    await client.getPrompt("args-prompt", { city: "Paris", state: "Texas" }),
  );
  return { tools: await client.listTools(), prompts: await client.listPrompts(), answers };
}

function plain({ content, structuredContent, isError }: ToolResult) {
  return { content, structuredContent, isError };
}

test("server-everything is recorded, and served again as a mock and as an environment", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "everything.jsonl");
  const live = await seenBy(
    commandLine("record", "--out", file, "--name", "everything", "--", everything.command, ...everything.args),
  );
  expect(live.answers).toHaveLength(calls.length + 3);
  const mock = await seenBy(commandLine("replay-server", file));
  expect(mock).toEqual(live);

  const recordings = await readSessionRecordings([file]);
  expect(recordings.warnings).toEqual([]);
  await using environment = environmentFromRecording(recordings);
  await using client = await connectEnvironment(environment);
  await client.reset();
  const answers: unknown[] = [];
  let total = 0;
  for (const [tool, input] of calls) {
    const { reward, content } = await client.step(callTool(tool, input));
    total += reward ?? 0;
    answers.push(content);
  }
  expect(total).toBeCloseTo(1);
  expect(answers).toEqual(live.answers.slice(0, calls.length).map((each) => (each as ToolResult).content));
  expect(await client.state()).toMatchObject({ position: calls.length, divergence: null });

  await client.reset();
  for (const [tool, input] of calls.slice(0, 3)) await client.step(callTool(tool, input));
  await client.step(callTool("echo", { message: "elsewhere" }));
  expect(await client.state()).toMatchObject({
    position: 3,
    divergence: { step: 3, expected: { tool: "get-structured-content" }, actual: { tool: "echo" } },
  });
});

async function seenBy(program: { command: string; args: string[] }): Promise<Seen> {
  await using client = await connect(program, options);
  return await look(client);
}

test("secrets in the config of a recorded server are in neither its answers nor its recording", async () => {
  await using folder = await temporaryFolder();
  const [file, config] = [join(folder.path, "secret.jsonl"), join(folder.path, "mcp.json")];
  const token = "tok-of-the-service-0123456789";
  const server = { ...everything, env: { SERVICE_TOKEN: token, SERVICE_PLACE: "somewhere-else" } };
  await writeFile(config, JSON.stringify({ mcpServers: { service: server } }));
  await using client = await connect(commandLine("record", config, "--out", file), options);
  const shown = JSON.stringify(await client.callTool("get-env"));
  expect(shown).toContain("somewhere-else");
  expect(shown).not.toContain(token);
  const text = await readFile(file, "utf8");
  expect(text).toContain("somewhere-else");
  expect(text).not.toContain(token);
});

test("env from-recording serves it over the network, with a live server for other calls", async () => {
  await using folder = await temporaryFolder();
  const [file, config] = [join(folder.path, "sums.jsonl"), join(folder.path, "mcp.json")];
  await writeFile(config, JSON.stringify({ mcpServers: { everything } }));
  {
    await using client = await connect(commandLine("record", config, "--out", file), options);
    await client.callTool("get-sum", { a: 1, b: 2 });
    await client.callTool("echo", { message: "done" });
  }
  const served = ["env", "from-recording", file, "--url", "http://127.0.0.1:0", "--order", "any"];
  await using environment = await started(/Environment: (\S+)/, ...served, "--live", config, "--allow-live", "ech*");
  await using client = await connectEnvironment(environment.url);
  await client.reset();
  const play = async (tool: string, input: Record<string, unknown>) => {
    const { reward, content } = await client.step(callTool(tool, input));
    return [reward, (content[0] as { text: string }).text];
  };
  expect(await play("echo", { message: "done" })).toEqual([0.5, "Echo: done"]);
  expect(await play("echo", { message: "else" })).toEqual([0, "Echo: else"]);
  expect(await play("get-sum", { a: 5, b: 5 })).toEqual([0, expect.stringMatching(/has no call get-sum/)]);
  expect(await play("get-sum", { a: 1, b: 2 })).toEqual([0.5, "The sum of 1 and 2 is 3."]);
  expect(await client.state()).toMatchObject({ position: 2, live: 1, divergences: 2, divergence: { step: 1 } });
});

/** Starts a command that listens, and finds its address in what it says. */
async function started(address: RegExp, ...words: string[]) {
  const { command, args } = commandLine(...words);
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  while (!address.test(said)) await once(child.stderr, "data");
  const url = address.exec(said)?.[1] ?? "";
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { url, kill, [Symbol.asyncDispose]: () => kill("SIGINT") };
}

test("a recorder that is killed leaves every answered call in its file", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "killed.jsonl");
  const words = ["record", "--out", file, "--url", "http://127.0.0.1:0", "--", everything.command, ...everything.args];
  await using recorder = await started(/MCP endpoint: (\S+)/, ...words);
  const client = await connect(recorder.url, options);
  for (let count = 0; count < 5; count++) await client.callTool("echo", { message: String(count) });
  await recorder.kill("SIGKILL");
  await client.close().catch(() => undefined);
  const { sessions } = await readSessionRecordings([file]);
  expect(sessions[0]?.calls.map((call) => call.arguments)).toEqual(
    Array.from({ length: 5 }, (_, count) => ({ message: String(count) })),
  );
  const listed = await runBiplane("recordings", "list", file);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout).toMatch(/ 5 +/);
});
