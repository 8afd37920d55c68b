import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../packages/biplane/src/observe/logs.ts";
import { logRequests } from "../../packages/biplane/src/observe/log-requests.ts";
import { fixture } from "../support/fixture.ts";
import { listen, modern, post } from "../support/serving.ts";
import { bundledScript } from "../support/bundled-script.ts";

describe("over standard streams", () => {
  it("the log is on standard error, line by line, and standard output is the wire's alone", async () => {
    const messages = [
      { id: 1, method: "tools/list" },
      { id: 2, method: "tools/call", params: { name: "workspace_read", arguments: {} } },
    ];
    const { out, err } = await converse(messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })));
    const lines = err.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ DEBUG mcp: /);
    const said = lines.map((line) => line.slice(21).replace(/duration=\d+ms/, "duration=5ms"));
    expect(said).toEqual([
      "DEBUG mcp: received request method=tools/list id=1",
      "DEBUG mcp: sending response id=1 tools=16",
      "DEBUG mcp: received request method=tools/call id=2 tool=workspace_read",
      "DEBUG mcp: tool execution completed id=2 duration=5ms success=true",
    ]);
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual([1, 2]);
  });

  it("a reader that closes standard error does not end the server", async () => {
    const pings = [1, 2, 3].map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
    const { out, code } = await converse(pings, { isDeaf: true });
    expect(out.trimEnd().split("\n")).toHaveLength(3);
    expect(code).toBe(0);
  });
});

describe("over HTTP", () => {
  const secret = "hunter2-hunter2";

  async function logOf(...requests: { body: object; headers?: Record<string, string> }[]): Promise<string[]> {
    const lines: string[] = [];
    const gateway = fixture({ secrets: { KEY: secret } });
    const log = createLogger({ level: "debug", write: (line) => lines.push(line), redactor: () => gateway.redactor });
    await using served = await listen(gateway, { requestLog: logRequests(log), pageSize: 5 });
    for (const { body, headers } of requests) {
      await post(served.mcp, { jsonrpc: "2.0", ...body }, headers ? { headers } : {});
    }
    return lines.map((line) =>
      line
        .slice(27)
        .replace(/duration=\d+ms/, "duration=5ms")
        .trimEnd(),
    );
  }

  it("says how a call failed: by the tool, or by the protocol", async () => {
    const said = await logOf(
      { body: { id: 1, method: "tools/call", params: { name: "fail" } } },
      { body: { id: 2, method: "tools/call", params: { name: "refuse" } } },
      { body: { id: 3, method: "no/such" } },
    );
    expect(said).toEqual([
      "mcp: received request method=tools/call id=1 tool=fail",
      "mcp: tool execution completed id=1 duration=5ms success=false",
      "mcp: received request method=tools/call id=2 tool=refuse",
      "mcp: tool execution completed id=2 duration=5ms success=false error=-32000",
      "mcp: received request method=no/such id=3",
      "mcp: sending response id=3 error=-32601",
    ]);
  });

  it("a handshake is logged like any request, and a list by the entries of its page", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const said = await logOf(
      { body: { id: "a", method: "initialize", params } },
      { body: { id: "b", method: "tools/list" } },
      { body: { id: "c", method: "resources/templates/list" } },
    );
    expect(said).toEqual([
      "mcp: received request method=initialize id=a",
      "mcp: sending response id=a",
      "mcp: received request method=tools/list id=b",
      "mcp: sending response id=b tools=5",
      "mcp: received request method=resources/templates/list id=c",
      "mcp: sending response id=c templates=1",
    ]);
  });

  it("a call that waits for answers has not been completed", async () => {
    const { headers, meta } = modern("tools/call", "greet");
    const capable = { ...meta, "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
    const said = await logOf({
      headers,
      body: { id: 1, method: "tools/call", params: { name: "greet", _meta: capable } },
    });
    expect(said.at(-1)).toBe("mcp: sending response id=1 result=input_required");
  });

  it("names made up to forge lines, arguments and secrets do not get into it", async () => {
    const forged = "x\n2026-01-02T03:04:05Z DEBUG mcp: tool execution completed id=9 success=true";
    const said = await logOf(
      {
        body: { id: `${forged}\u001b[2J`, method: "tools/call", params: { name: forged, arguments: { a: "argued" } } },
      },
      { body: { id: secret, method: `m/${secret}` } },
    );
    expect(said).toHaveLength(4);
    const all = said.join("");
    expect(all).toMatch(/^[\x20-\x7e…]*$/);
    expect(all).not.toContain("argued");
    expect(all).not.toContain(secret);
    expect(all).toContain("[REDACTED:KEY]");
  });

  it("without level debug, requests are not logged", () => {
    expect(logRequests(createLogger({ level: "info", write: () => undefined }))).toBeUndefined();
  });
});

function converse(
  messages: readonly string[],
  { isDeaf = false } = {},
): Promise<{ out: string; err: string; code: number | null }> {
  const child = spawn(process.execPath, [bundledScript(new URL("logging-child.ts", import.meta.url))]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  if (isDeaf) child.stderr.destroy();
  child.stdin.end(messages.map((message) => `${message}\n`).join(""));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ out, err, code }));
  });
}
