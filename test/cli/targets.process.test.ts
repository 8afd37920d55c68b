import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { server, tool } from "biplane";
import { readTarget, splitTarget } from "../../packages/biplane/src/cli/target/read-target.ts";
import { commandLine, runHere } from "./command.ts";

const junk = fileURLToPath(new URL("junk-server.mjs", import.meta.url));
const several = fileURLToPath(new URL("two-servers.ts", import.meta.url));
const shop = server({
  name: "shop",
  limits: false,
  tools: [tool({ name: "price", description: "Tells a price", run: () => "40" })],
});
let folder: string;
let url: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "biplane-targets-")));
  url = `${(await shop.serve("http://127.0.0.1:0")).url}/mcp`;
  const servers = { shop: { url }, other: { command: process.execPath, args: [junk] } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: servers }));
});
afterAll(async () => {
  await shop.close();
  await rm(folder, { recursive: true });
});

/** A target of each form, with a tool of it and what that tool answers. */
const targets: readonly (readonly [form: string, words: () => string[], tool: string, answer: RegExp])[] = [
  ["a URL", () => [url], "price", /^40$/m],
  ["the base URL of a server", () => [url.replace("/mcp", "")], "price", /^40$/m],
  ["a server of a module", () => [`${several}#greeter`], "greet", /^Hello!$/m],
  ["an environment of a module", () => [`${several}#counter`], "count_up", /1/],
  ["a built-in environment", () => ["echo"], "echo_message", /hey/],
  ["a pack", () => [`workspace=${folder}`], "workspace_list", /mcp\.json/],
  ["a config file with several servers", () => [join(folder, "mcp.json")], "price", /^40$/m],
  ["one server of a config file", () => [`${join(folder, "mcp.json")}#other`], "ping", /^pong$/m],
  ["a command", () => ["--", process.execPath, junk], "ping", /^pong$/m],
];

describe.each(targets)("%s", (_, words, toolName, answer) => {
  test("is listed, inspected, called, run as code and proxied", async () => {
    const [target = "", ...after] = words();
    const input = toolName === "echo_message" ? ["message=hey"] : [];
    const at = target === "--" ? { before: [], after: [target, ...after] } : { before: [target], after: [] };
    const listed = await runHere("tools", ...at.before, ...at.after);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${toolName}(`) as string });
    const inspected = await runHere("inspect", ...at.before, "--print", ...at.after);
    expect(inspected).toMatchObject({ code: 0, stdout: expect.stringContaining(toolName) as string });
    const called = await runHere("call", ...at.before, toolName, ...input, ...at.after);
    expect(called).toMatchObject({ code: 0, stdout: expect.stringMatching(answer) as string });
    const code = `"tools: " + (typeof ${toolName})`;
    const ran = await runHere("code", ...at.before, "-c", code, ...at.after);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("tools: function") as string });
    await using client = await connect(commandLine("proxy", ...at.before, ...at.after));
    expect((await client.listTools()).map(({ name }) => name)).toContain(toolName);
  });

  test("is played and replayed", async () => {
    const [target = "", ...after] = words();
    const input = toolName === "echo_message" ? { message: "hey" } : {};
    const at = target === "--" ? { before: [], after: [target, ...after] } : { before: [target], after: [] };
    const agent = join(folder, `agent-${toolName}.mjs`);
    await writeFile(agent, `export default [${JSON.stringify({ tool: toolName, input })}];\n`);
    const options = ["--store", join(folder, "runs.db"), ...(url.startsWith(target) ? ["--kind", "mcp"] : [])];
    const played = await runHere("rollout", ...at.before, "--agent", agent, ...options, ...at.after);
    expect(played).toMatchObject({ code: 0, stdout: expect.stringMatching(/rollouts +1 of 1\n/) as string });
    const shown = await runHere("show", "last", "--row", "0", "--store", join(folder, "runs.db"));
    expect(shown.stdout).toContain(toolName);
    const identical = { code: 0, stdout: expect.stringContaining("1 replayed, 1 identical") as string };
    // The target of the run, and the same target named again.
    expect(await runHere("replay", "last", "--store", join(folder, "runs.db"))).toMatchObject(identical);
    expect(await runHere("replay", "last", ...at.before, ...options, ...at.after)).toMatchObject(identical);
  });
});

test.each([
  ["--env", "echo", "echo_message", { message: "hey" }],
  ["--env", `${several}#counter`, "count_up", {}],
  ["--servers", "mcp.json", "price", {}],
])("a rollout also takes %s %s", async (option, value, toolName, input) => {
  const agent = join(folder, `agent-${toolName}.mjs`);
  await writeFile(agent, `export default [${JSON.stringify({ tool: toolName, input })}];\n`);
  const named = option === "--servers" ? join(folder, value) : value;
  const words = [option, named, "--agent", agent, "--store", join(folder, "runs.db")];
  const played = await runHere("rollout", ...words);
  expect(played).toMatchObject({ code: 0, stdout: expect.stringMatching(/rollouts +1 of 1\n/) as string });
});

test("a rollout sends a bearer token to a URL and to servers of a config file, and keeps none", async () => {
  const guarded = server({
    name: "guarded",
    limits: false,
    tools: [tool({ name: "price", description: "Tells a price", run: () => "40" })],
  });
  const tokens = { "a-token-of-the-test": { kind: "token", id: "ada", scopes: [] } } as const;
  const served = await guarded.serve({
    url: "http://127.0.0.1:0",
    authenticate: ({ headers }) =>
      tokens[String(headers["authorization"]).slice("Bearer ".length) as keyof typeof tokens],
  });
  const agent = join(folder, "agent-guarded.mjs");
  await writeFile(agent, `export default [{ tool: "price", input: {} }];\n`);
  const store = join(folder, "guarded.db");
  const words = [`${served.url}/mcp`, "--kind", "mcp", "--agent", agent, "--store", store];
  expect(await runHere("rollout", ...words)).toMatchObject({ code: 1 });
  expect(await runHere("rollout", ...words, "--bearer", "a-token-of-the-test")).toMatchObject({ code: 0 });
  const headers = { Authorization: "Bearer a-token-of-the-test" };
  const config = { mcpServers: { guarded: { url: `${served.url}/mcp`, headers } } };
  await writeFile(join(folder, "guarded.json"), JSON.stringify(config));
  const fromFile = [join(folder, "guarded.json"), "--agent", agent, "--store", store];
  expect(await runHere("rollout", ...fromFile)).toMatchObject({ code: 0 });
  expect((await readFile(store)).includes("a-token-of-the-test")).toBe(false);
  await guarded.close();
});

test.each<[string[], string]>([
  [["rollout"], "Pass a target: a URL, a module (./server.ts), a config file"],
  [["rollout", "--env", "nope"], 'Unknown environment "nope". Use one of '],
  [["rollout", "--env", "frozen-lak"], 'Unknown environment "frozen-lak". Did you mean frozen-lake? Use one of '],
  [["rollout", "echo", "--env", "taxi"], "Pass one target, not a target and --env."],
  [["rollout", "--env", "echo", "--agent", "nobody"], 'Unknown agent "nobody". Use random, greedy'],
  [["policy", "test"], "Pass the called tool, such as --tool refund, or a recorded call, such as --call 4711."],
])("%j is a wrong command line, and says what to write", async (words, message) => {
  const { code, stdout, stderr } = await runHere(...words);
  expect([code, stdout, stderr.trim().split("\n")]).toEqual([2, "", [expect.stringContaining(message)]]);
});

test.each([
  ["frozen-lak", "Did you mean frozen-lake?"],
  ["worksapce", "Did you mean workspace?"],
  ["localhost:8000/mcp", "Did you mean http://localhost:8000/mcp?"],
  ["127.0.0.1:8000", "Did you mean http://127.0.0.1:8000?"],
  ["npx some-server", "Put a command after --, not in quotes."],
  [".", "Name the file that exports the server, with its extension."],
  ["zzqqxx", '"zzqqxx" is not a target. A target is a URL, a module (./server.ts), a config file'],
])("%s is not a target, and every command says what one is in the same words", async (text, hint) => {
  const { stderr: told } = await runHere("tools", text);
  expect(told).toContain(hint);
  expect(told).toMatch(/A target is a URL, .*, or a command after --\.\n$/);
  for (const words of [["tools"], ["inspect"], ["call", "tool"], ["code"], ["proxy"], ["rollout"]]) {
    const [name = "", ...rest] = words;
    expect(await runHere(name, text, ...rest)).toEqual({ code: 2, stdout: "", stderr: told });
    expect((await runHere(...words.slice(0, 1))).stderr).toMatch(/^biplane: Pass a target: a URL, .*after --\.\n$/);
  }
});

test("a module with several servers needs the name of one", async () => {
  const open = await runHere("tools", several);
  expect(open).toMatchObject({ code: 1, stdout: "" });
  expect(open.stderr).toContain(`exports 2 servers: greeter, counter. Choose one, such as ${several}#greeter.`);
  const wrong = await runHere("tools", `${several}#cuonter`);
  expect(wrong.stderr).toContain('exports no server named "cuonter". Its servers: greeter, counter.');
});

test("a target is distinguished from the other arguments", () => {
  expect(splitTarget(["echo", "a=1", "node", "x.js"], ["echo", "a=1", "--", "node", "x.js"])).toEqual({
    target: { kind: "command", command: "node", args: ["x.js"] },
    rest: ["echo", "a=1"],
  });
  expect(readTarget("a/b.json#my server")).toEqual({ kind: "config", file: "a/b.json", server: "my server" });
  expect(readTarget("WSS://x/mcp")).toEqual({ kind: "url", url: "WSS://x/mcp" });
  expect(readTarget("git=./a=b")).toEqual({ kind: "pack", name: "git", folder: "./a=b" });
  expect(() => splitTarget([], [])).toThrow("Pass a target: a URL, ");
  expect(() => splitTarget([], ["--"])).toThrow("after --.");
});
