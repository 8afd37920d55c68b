import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { environment, server, tool } from "biplane";
import { codeTool, pythonEngine, starlarkEngine } from "biplane/code";
import type { CodeAnswer } from "biplane/code";
import { filesystemPack, gitPack, replPack } from "biplane/packs";

const engines = { python: pythonEngine(), starlark: starlarkEngine({ workers: 1 }) };
const folder = mkdtempSync(join(tmpdir(), "biplane-codeact-"));
writeFileSync(join(folder, "file.txt"), `${"hay\n".repeat(98)}a needle here\nhay\na needle below\n`);
afterAll(async () => {
  await Promise.all(Object.values(engines).map((engine) => engine.close()));
  rmSync(folder, { recursive: true });
});

/** A code block of RFC 003, as it is written there. */
const listTools = `
return [t for t in list_tools() if 'browser' in t]
`;

describe.each(["python", "starlark"] as const)("CodeAction in %s", (language) => {
  test("list_tools() gives names, which the code filters", async () => {
    const tools = ["browser_open", "browser_click", "git_log"].map((name) => tool({ name, run: () => name }));
    await using browsers = server({ name: "browsers", limits: false, tools });
    codeTool(browsers, { engines: [engines[language]] });
    const { result } = (await browsers.call("run_code", { code: listTools })) as CodeAnswer;
    expect(result).toEqual(["browser_open", "browser_click"]);
  });
});

test("local functions are called by name in Python, and what the code returns comes back", async () => {
  function fibonacci(n: number): number {
    return n <= 1 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }
  const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  await using local = server({
    name: "myserver",
    limits: false,
    tools: { fibonacci: tool({ input, run: ({ n }) => fibonacci(n) }) },
  });
  codeTool(local, { engines: [engines.python] });
  const code = "result = [fibonacci(n) for n in range(8)]\nresult";
  expect(await local.call("run_code", { code })).toMatchObject({ result: [0, 1, 1, 2, 3, 5, 8, 13], error: null });
});

test("code calls local children directly and remote ones over MCP, all through one parent", async () => {
  await using remote = server({ name: "slack", tools: { slack_post: tool({ run: () => "posted" }) } });
  const { url } = await remote.serve("http://127.0.0.1:0");
  await using filesystem = server({ name: "filesystem", packs: [filesystemPack({ roots: [folder] })] });
  await using git = server({ name: "git", packs: [gitPack({ root: folder })] });
  await using python = server({ name: "python", packs: [replPack({ languages: ["python"] })] });
  await using parent = server({ name: "parent", limits: false });
  parent.mount("filesystem", filesystem).mount("git", git).mount("python", python);
  await parent.mount("slack", `${url}/mcp`);
  codeTool(parent, { engines: [engines.starlark] });
  const code = `
list_allowed_directories()
python_run("6 * 7")
return ["git_status" in list_tools(), slack_post()]
`;
  const answer = (await parent.call("run_code", { code })) as CodeAnswer;
  expect(answer).toMatchObject({ error: null, result: [true, "posted"] });
  expect(answer.calls.map((call) => call.tool)).toEqual(["list_allowed_directories", "python_run", "slack_post"]);
});

test("POST /step with code answers with observation and reward", async () => {
  const counter = environment({
    name: "counter",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (define) => ({ count_up: define({ run: (_, { state }) => ({ count: ++state.count }) }) }),
    reward: () => 1,
  });
  codeTool(counter, { engines: [engines.python] });
  const { url } = await counter.serve("http://127.0.0.1:0");
  const body = JSON.stringify({ action: { type: "code", code: "count_up()\ncount_up()\nreturn count_up()['count']" } });
  const response = await fetch(`${url}/step`, { method: "POST", body });
  expect(await response.json()).toMatchObject({ observation: { result: 3, exit_code: 0 }, reward: 3, done: false });
  await counter.close();
});
