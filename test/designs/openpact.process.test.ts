import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { biplane, program } from "../support/project.ts";
import { RpcMailbox } from "../support/rpc-mailbox.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-openpact-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = "k-1234567890-abcdef";
for (const name of ["work", "vault", "memory", "scripts"]) mkdirSync(join(folder, name));
mkdirSync(join(folder, "work/subdir"));
writeFileSync(join(folder, "work/notes.md"), "File contents here...");
writeFileSync(join(folder, "work/test.md"), "A test.");
writeFileSync(join(folder, "work/subdir/file.txt"), "Below.");
writeFileSync(join(folder, "work/answer.json"), `API response: {"key": "${secret}"}`);
writeFileSync(
  join(folder, "scripts/weather.star"),
  'def get_weather(city):\n    return {"city": city, "temp_c": 15.5, "condition": "Cloudy"}\n',
);
writeFileSync(join(folder, "scripts/new_feature.star"), "result = 1\n");
writeFileSync(
  join(folder, "biplane.yaml"),
  `packs:
  workspace: { root: ./work }
  memory: { root: ./memory }
  vault: { root: ./vault }
  chat: { local: { targets: ["*"] } }
  calendar: { calendars: [{ name: work, file: ./work.ics }] }
  github: {}
  web: {}
  script: { root: ./scripts }
secrets:
  values: { API_KEY: "\${API_KEY}" }
store: ./biplane.db
logging:
  level: debug
`,
);
writeFileSync(join(folder, "work.ics"), "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n");
const options = { cwd: folder, env: { ...process.env, API_KEY: secret } };

const builtIn = [
  "workspace_read",
  "workspace_write",
  "workspace_list",
  "memory_read",
  "memory_write",
  "vault_read",
  "vault_write",
  "vault_list",
  "vault_search",
  "chat_send",
  "calendar_read",
  "github_list_issues",
  "github_create_issue",
  "web_fetch",
  "script_list",
  "script_run",
  "script_exec",
  "script_reload",
];

interface Answer {
  readonly id: unknown;
  readonly result?: { tools: Tool[]; content: { type: string; text: string }[]; isError?: boolean };
  readonly error?: { code: number; message: string };
}
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { type: string; properties: Record<string, object>; required?: string[] };
}

describe("over stdio", () => {
  let child: ChildProcessWithoutNullStreams;
  const mailbox = new RpcMailbox();
  const log: string[] = [];

  beforeAll(async () => {
    await biplane(["scripts", "approve", "weather"], options);
    child = spawn(process.execPath, [program, "serve", "--stdio"], options);
    createInterface(child.stdout).on("line", (line) => mailbox.put(line));
    createInterface(child.stderr).on("line", (line) => log.push(line));
    child.stdin.write('{"jsonrpc":"2.0","id":"started","method":"ping"}\n');
    await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => expect.fail(log.join("\n")))]);
    await mailbox.take("started");
  });
  afterAll(async () => {
    child.stdin.end();
    await once(child, "exit");
  });

  async function send(text: string, id: unknown): Promise<Answer> {
    child.stdin.write(`${text.replaceAll("\n", "")}\n`);
    return (await mailbox.take(id)) as Answer;
  }
  let calls = 100;
  const call = (name: string, input: object) => {
    const id = ++calls;
    const params = { name, arguments: input };
    return send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }), id);
  };

  test("tools/list without params lists every built-in tool with its schema", async () => {
    const { result } = await send('{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "tools/list"\n}', 1);
    const tools = new Map(result?.tools.map((tool) => [tool.name, tool]));
    expect([...tools.keys()]).toEqual(expect.arrayContaining(builtIn));
    expect(tools.get("workspace_read")).toMatchObject({
      description: expect.stringContaining("Read a workspace file"),
      inputSchema: {
        type: "object",
        properties: { path: { type: "string", description: expect.any(String) } },
        required: ["path"],
      },
    });
    expect(tools.get("script_run")).toMatchObject({
      description: expect.any(String),
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", description: expect.any(String) },
          function: { type: "string", description: expect.any(String) },
          args: { type: "array", description: expect.any(String) },
        },
        required: ["name"],
      },
    });
  });

  test("workspace_read answers the example request with the file's text", async () => {
    const message = `{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "name": "workspace_read",
    "arguments": {
      "path": "/workspace/notes.md"
    }
  }
}`;
    expect(await send(message, 1)).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: "File contents here..." }] },
    });
  });

  test("script_run answers the weather example with its value as JSON", async () => {
    const message = `{
  "jsonrpc": "2.0",
  "id": 2,
  "method": "tools/call",
  "params": {
    "name": "script_run",
    "arguments": {
      "name": "weather",
      "function": "get_weather",
      "args": ["London"]
    }
  }
}`;
    const { id, result } = await send(message, 2);
    expect([id, result?.isError ?? false]).toEqual([2, false]);
    expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual({ city: "London", temp_c: 15.5, condition: "Cloudy" });
  });

  test("a script that is not there is an error in the example's words", async () => {
    expect((await call("script_run", { name: "unknown" })).result).toMatchObject({
      content: [{ type: "text", text: "Error: script 'unknown' not found" }],
      isError: true,
    });
  });

  test("code given to script_exec waits for approval as well", async () => {
    const { result } = await call("script_exec", { code: "result = 1" });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("pending approval") }] });
  });

  test.each([
    ["/workspace/notes.md", "File contents here..."],
    ["/workspace/subdir/file.txt", "Below."],
    ["/workspace/../etc/passwd", undefined],
    ["/etc/passwd", undefined],
  ])("the path %s is allowed or blocked", async (path, text) => {
    const { result } = await call("workspace_read", { path });
    if (text !== undefined) expect(result).toMatchObject({ content: [{ type: "text", text }] });
    else expect(result).toMatchObject({ isError: true, content: [{ text: expect.not.stringContaining("root:") }] });
    if (text === undefined) expect((await call("vault_read", { path })).result).toMatchObject({ isError: true });
  });

  test("a file that is not there is an error result, not a protocol error", async () => {
    const { result, error } = await call("workspace_read", { path: "/workspace/missing.md" });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/does not exist/) }] });
  });

  test("a secret in a file is replaced by its name", async () => {
    const { result } = await call("workspace_read", { path: "/workspace/answer.json" });
    expect(result?.content).toEqual([{ type: "text", text: 'API response: {"key": "[REDACTED:API_KEY]"}' }]);
  });

  test.each([
    [-32700, "{nonsense", null],
    [-32600, '{"jsonrpc":"2.0","id":71,"method":7}', 71],
    [-32601, '{"jsonrpc":"2.0","id":"seventy-two","method":"tools/nothing"}', "seventy-two"],
    [-32602, '{"jsonrpc":"2.0","id":73,"method":"tools/call","params":{"name":7}}', 73],
  ])("%i answers %s", async (code, message, id) => {
    expect(await send(message, id)).toMatchObject({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } });
  });

  test("logging at level debug writes a line for each request and response", async () => {
    await send('{"jsonrpc":"2.0","id":91,"method":"tools/list"}', 91);
    await send(
      '{"jsonrpc":"2.0","id":92,"method":"tools/call","params":{"name":"workspace_read","arguments":{"path":"notes.md"}}}',
      92,
    );
    await expect.poll(() => log.filter((line) => / id=9[12]\b/.test(line)).length).toBe(4);
    const lines = log.filter((line) => / id=9[12]\b/.test(line)).map((line) => line.replace(/^\S+ /, ""));
    expect(lines).toEqual([
      "DEBUG mcp: received request method=tools/list id=91",
      expect.stringMatching(/^DEBUG mcp: sending response id=91 tools=\d+$/),
      "DEBUG mcp: received request method=tools/call id=92 tool=workspace_read",
      expect.stringMatching(/^DEBUG mcp: tool execution completed id=92 duration=\d+ms success=true$/),
    ]);
  });
});

describe("over HTTP", () => {
  let child: ChildProcessWithoutNullStreams;
  let url = "";

  beforeAll(async () => {
    child = spawn(process.execPath, [program, "serve", "--url", "http://127.0.0.1:0", "--log-level", "info"], options);
    child.stdout.resume();
    const lines = createInterface(child.stderr);
    await new Promise<void>((resolve) =>
      lines.on("line", (line) => {
        url ||= /(http:\/\/[\d.:]+)\/mcp/.exec(line)?.[1] ?? "";
        if (/Stop with/.test(line)) resolve();
      }),
    );
  });
  afterAll(async () => {
    child.kill();
    await once(child, "exit");
  });

  /** `curl -X POST http://localhost:3000/mcp -H "Content-Type: application/json" -d …` */
  const curl = async (data: string) => {
    const headers = { "Content-Type": "application/json" };
    return (await (await fetch(`${url}/mcp`, { method: "POST", headers, body: data })).json()) as Answer;
  };

  test("both curl lines are answered with JSON", async () => {
    const { result } = await curl('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(result?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(builtIn));
    const called = await curl(`{
    "jsonrpc":"2.0",
    "id":2,
    "method":"tools/call",
    "params":{
      "name":"workspace_read",
      "arguments":{"path":"/workspace/test.md"}
    }
  }`);
    expect(called).toMatchObject({ jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "A test." }] } });
  });

  test("/metrics counts the calls", async () => {
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/tool="workspace_read".* 1\n/);
  });

  test("more than 20 requests at once are answered with -32000", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, id) => curl(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`)),
    );
    const refused = answers.find(({ error }) => error);
    expect(refused?.error).toMatchObject({ code: -32000, message: "Rate limit exceeded. Please try again later." });
    expect(answers.filter(({ result }) => result).length).toBeGreaterThanOrEqual(15);
  });
});
