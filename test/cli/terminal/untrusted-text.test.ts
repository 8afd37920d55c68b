import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { transcript } from "../../../packages/biplane/src/cli/rollout/transcript.ts";
import { safeText } from "../../../packages/biplane/src/cli/terminal/format.ts";
import { endingLabel } from "../../../packages/biplane/src/rollout/ending-label.ts";
import type { Trace } from "../../../packages/biplane/src/rollout/trace.ts";
import { runCli } from "../../../packages/biplane/src/cli/command/run-cli.ts";
import { connect } from "biplane/client";
import { saveRun } from "../../../packages/biplane/src/store/runs/run.ts";
import { openStore } from "biplane/store";
import { callAs } from "../../admin/admin-server.ts";

/** A title, a clear screen, a colour by one byte, letters turned around, and a line of its own. */
const steering = "x\u001B]0;owned\u0007\u001B[2J\u009B31m\u202Egnp\r\nbiplane: approved";
// oxlint-disable-next-line no-control-regex
const steers = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]|^biplane: approved/m;

/** What is written to the terminal meanwhile. */
async function writtenBy(act: () => Promise<unknown>): Promise<string> {
  const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true));
  try {
    await act();
    return streams.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("");
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}

test("names of agents and runs cannot send control sequences to a terminal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-terminal-"));
  const file = join(folder, "store.db");
  const store = await openStore(file);
  const audit = openAudit({ store, maxDelayMs: 0, onFault: (fault) => expect.fail(String(fault)) });
  const gateway = server({ name: "gateway", version: "1", tools: [tool({ name: "look", run: () => 1 })] });
  gateway.govern({ audit });
  await callAs(steering, gateway, { tool: "look" });
  await gateway.close();
  const figures = {
    rows: 0,
    repetitions: 1,
    steps: 1,
    concurrency: 1,
    pid: 0,
    version: "1",
    settings: undefined,
    tags: [],
  };
  const names = { target: steering, agent: steering, model: steering };
  const startedAt = new Date().toISOString();
  await saveRun(store, { id: "one", status: "finished", startedAt, endedAt: undefined, ...names, ...figures });
  await audit.close();
  await store.close();
  for (const words of [["audit", "show"], ["runs"], ["show", "one"], ["compare", "one", "one"]]) {
    const written = await writtenBy(() => runCli([...words, "--store", file]));
    expect(written).toContain("x\\u001b]0;owned");
    expect(written).not.toMatch(steers);
  }
  await rm(folder, { recursive: true });
});

/** A trace in which every text steers. */
const steered = {
  rollout: steering,
  run: steering,
  index: 0,
  repetition: 0,
  rowId: steering,
  row: {},
  seed: steering,
  sessionId: steering,
  agent: steering,
  model: steering,
  startedAt: steering,
  observation: null,
  source: "none",
  tools: [],
  faults: [{ what: steering, why: steering }],
  messages: [{ role: steering, content: steering }],
  steps: [
    {
      step: 0,
      messages: [{ role: "tool", content: JSON.stringify({ [steering]: steering }) }],
      call: { id: "1", tool: steering, input: {}, isError: false, approval: steering },
      observation: null,
      reward: 1,
      parts: { [steering]: 1 },
      terminated: false,
      truncated: false,
      faults: [{ what: steering, why: steering }],
      timings: { agentMs: 1, actMs: 1, judgeMs: 1 },
    },
  ],
  ending: {
    reason: steering,
    kind: steering,
    message: steering,
    finishReason: steering,
    terminated: true,
    truncated: true,
  },
  totalReward: 1,
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  cost: undefined,
  durationMs: 1,
  controlFailures: 1,
  divergence: undefined,
} as unknown as Trace;

test.each([true, false])("a rollout cannot send control sequences to a terminal, with colours: %s", (hasColours) => {
  const shown = transcript(steered, { hasColours });
  expect(shown).toContain("owned");
  expect(shown).not.toMatch(steers);
});

test("colours of a rollout end with their text and cannot hide any", () => {
  const [red, end] = ["\u001B[41m", "\u001B[0m"];
  expect(safeText(`${red}S`, true)).toBe(`${red}S${end}`);
  expect(safeText("\u001B[8mhidden", true)).toBe("\\x1b[8mhidden");
  expect(safeText("\u001B[30;40mhidden", true)).toBe("\\x1b[30;40mhidden");
  expect(safeText(`${red}S${end}F`, false)).toBe("[S]F");
  expect(safeText(red.repeat(200_000), false)).toBe("");
});

test("an ending with the name of an object's own property is an ending like others", () => {
  expect(endingLabel("constructor")).toBe("constructor");
});

test("output of a server that is no message cannot send control sequences to a terminal", async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
    if (id === undefined) return void response.writeHead(202).end();
    const info = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
    const result = method === "initialize" ? info : {};
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${steering}\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const written = await writtenBy(async () => {
    await using client = await connect(url, { era: "legacy" });
    await client.ping();
  });
  http.closeAllConnections();
  http.close();
  expect(written).toContain("not an MCP message");
  expect(written).not.toMatch(steers);
});
