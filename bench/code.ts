// The cost of a tool call from agent code, compared with a bare host function and MCP: npm run bench:code
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { environment, server, tool } from "biplane";
import { z } from "zod";
import type { CodeContext, CodeEngine, CodeHost } from "../packages/biplane/src/code/engine.ts";
import { javascriptEngine } from "../packages/biplane/src/code/javascript/engine.ts";
import { codeTool } from "../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../packages/biplane/src/code/code-tool.ts";

const isQuick = process.argv.includes("--quick");
const calls = isQuick ? 500 : 1000;
const rounds = isQuick ? 5 : 9;
const generous = { wallMs: 600_000, cpuMs: 600_000, calls: 1_000_000 };

const input = z.object({ customerId: z.string(), verbose: z.boolean().optional() });
const output = z.object({ customerId: z.string(), status: z.enum(["active", "closed"]), orders: z.array(z.number()) });
const find = (customerId: string) => ({ customerId, status: "active" as const, orders: [1, 2, 3] });
const getCustomer = tool({
  name: "get_customer",
  description: "Look a customer up",
  input,
  output,
  run: ({ customerId }) => find(customerId),
});
const crm = server({ name: "crm", version: "1.0.0", limits: false, tools: [getCustomer] });

const inThread = javascriptEngine({ isolation: "thread" });
const inWorker = javascriptEngine({ isolation: "worker" });
const answer = find("c0");
const noopHost: CodeHost = { signal: new AbortController().signal, call: () => answer };
const loop = (count: number) =>
  `for (let i = 0; i < ${count}; i++) await get_customer({ customerId: "c" + i, verbose: true })`;
const loopOf50 = (count: number) =>
  `for (let i = 0; i < ${count}; i += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => get_customer({ customerId: "c" + (i + at), verbose: true })))`;

const handler = codeTool(crm, { engines: [inThread], limits: generous });
const bare = await bareContext(inThread);
const echo = echoThread();
const memory = await inMemory();
const http = await overHttp();
const workerCrm = server({ name: "crm", version: "1.0.0", limits: false, tools: [getCustomer] });
const workerEndpoint = codeTool(workerCrm, { engines: [inWorker], limits: generous });

const contenders: Record<string, (count: number) => Promise<unknown>> = {
  "a tool from code, in the thread": (count) => code(crm, loop(count)),
  "a bare host function, in the thread": (count) => bare.run(loop(count), noopHost),
  "a tool from code, in a worker": (count) => code(workerCrm, loop(count)),
  "50 tools at once from code, in a worker": (count) => code(workerCrm, loopOf50(count)),
  "a message to a thread and back": (count) => echo.send(count),
  "MCP in memory, official SDK": (count) => memory.call(count),
  "MCP over HTTP, official SDK": (count) => http.call(count),
};
// CPU time, not wall-clock time: both ends run in this process, and other load must not count.
const cpus = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (let round = -8; round < rounds; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    const count = name.includes("HTTP") ? Math.max(20, Math.ceil(calls / 10)) : calls;
    const before = cpuMicroseconds();
    await run(count);
    if (round >= 0) cpus[name]?.push((cpuMicroseconds() - before) / count);
  }
}
const micros = Object.fromEntries(Object.entries(cpus).map(([name, each]) => [name, median(each)]));
for (const [name, each] of Object.entries(micros)) console.log(`${name}: ${each.toFixed(1)} µs CPU a call`);

const [ours, noop, worker, batched, message, inMemoryMcp, httpMcp] = Object.values(micros) as Figures;
const ratios: Record<string, number> = {
  call_vs_noop: round(ours / noop),
  call_vs_memory_mcp: round(ours / inMemoryMcp),
  http_mcp_vs_call: round(httpMcp / ours),
  worker_calls_of_50_vs_memory_mcp: round(batched / inMemoryMcp),
  // One call after the other: each waits until the system has woken both threads, which is a floor for it.
  worker_call_vs_memory_mcp: round(worker / inMemoryMcp),
  worker_call_floor_vs_memory_mcp: round((ours + message) / inMemoryMcp),
  ...(await contexts()),
  ...(await episodes()),
};
const bounds: Record<string, string> = {
  call_vs_noop: "<=2",
  call_vs_memory_mcp: "<=1",
  worker_calls_of_50_vs_memory_mcp: "<=1",
  http_mcp_vs_call: ">=20",
};
await Promise.all([handler.close(), workerEndpoint.close(), memory.close(), http.close()]);
await Promise.all([inThread.close(), inWorker.close(), echo.close()]);
console.log(JSON.stringify({ bench: "code", ratios, bounds }));
process.exit(Object.entries(bounds).some(([key, bound]) => !holds(ratios[key] ?? Number.NaN, bound)) ? 1 : 0);

type Figures = [number, number, number, number, number, number, number];

/** A thread that sends each message back. */
function echoThread(): { send(count: number): Promise<void>; close(): Promise<unknown> } {
  const source =
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (said) => parentPort.postMessage(said));';
  const thread = new Worker(source, { eval: true });
  const send = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const answered = once(thread, "message");
      thread.postMessage({ kind: "replies", replies: [[at, JSON.stringify(answer)]] }, []);
      await answered;
    }
  };
  return { send, close: () => thread.terminate() };
}

/** Time to open a context, time of the first run in it, and contexts per gigabyte. */
async function contexts(): Promise<Record<string, number>> {
  const count = isQuick ? 50 : 200;
  const figures: Record<string, number> = {};
  for (const [name, engine] of [
    ["thread", inThread],
    ["worker", inWorker],
  ] as const) {
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const tools = [getCustomer];
    const open: CodeContext[] = [];
    const start = cpuMicroseconds();
    for (let each = 0; each < count; each++) {
      const context = await engine.open({ tools });
      await context.run("let kept = [1, 2, 3]", noopHost);
      open.push(context);
    }
    const ms = (cpuMicroseconds() - start) / 1000 / count;
    const megabytes = (process.memoryUsage.rss() - before) / 1e6 / count;
    console.log(
      `a context (${name}): ${ms.toFixed(1)} ms CPU, ${megabytes.toFixed(2)} MB; ${Math.floor(1000 / megabytes)} in 1 GB`,
    );
    Object.assign(figures, {
      [`context_ms_${name}`]: round(ms),
      [`contexts_in_1gb_${name}`]: Math.floor(1000 / megabytes),
    });
    await Promise.all(open.map((context) => context.close()));
  }
  return figures;
}

/** 200 episodes with live contexts, all stepping at once. */
async function episodes(): Promise<Record<string, number>> {
  const counting = environment({
    name: "counting",
    version: "1.0.0",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (make) => ({ add: make({ description: "Adds one", run: (_, { state }) => void state.count++ }) }),
    reward: () => 1,
  });
  const figures: Record<string, number> = {};
  for (const [name, engine] of [
    ["thread", inThread],
    ["worker", inWorker],
  ] as const) {
    await using _ = codeTool(counting.server, { engines: [engine], limits: generous });
    const all = await Promise.all(Array.from({ length: 200 }, () => counting.start({ seed: 1 })));
    const actions = isQuick ? 2 : 10;
    const start = performance.now();
    const before = cpuMicroseconds();
    await Promise.all(
      all.map(async (episode) => {
        for (let each = 0; each < actions; each++) {
          const source = "globalThis.n = (globalThis.n ?? 0) + 1; await add(); await add(); (await add()).count";
          const answer = (await counting.call(episode, "run_code", { code: source })) as CodeAnswer;
          if (answer.result !== (each + 1) * 3)
            throw new Error(`Wrong result in an episode: ${JSON.stringify(answer)}`);
        }
      }),
    );
    const perSecond = (200 * actions) / ((performance.now() - start) / 1000);
    const micro = (cpuMicroseconds() - before) / (200 * actions);
    console.log(
      `200 episodes at once (${name}): ${perSecond.toFixed(0)} actions/s of 3 calls each, ${micro.toFixed(0)} µs CPU an action`,
    );
    figures[`episode_actions_per_s_${name}`] = Math.round(perSecond);
    for (const episode of all) await counting.episodes.end(episode);
  }
  return figures;
}

async function code(gateway: typeof crm, source: string): Promise<void> {
  const { error } = (await gateway.call("run_code", { code: source }, { session: "bench" })) as CodeAnswer;
  if (error) throw new Error(error.message);
}

function bareContext(engine: CodeEngine): Promise<CodeContext> {
  return engine.open({ tools: [getCustomer], limits: generous });
}

function theirServer(): McpServer {
  const theirs = new McpServer({ name: "crm", version: "1.0.0" });
  theirs.registerTool(
    "get_customer",
    { description: "Look a customer up", inputSchema: input, outputSchema: output },
    ({ customerId }) => {
      const structuredContent = find(customerId);
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  return theirs;
}

interface Peer {
  call(count: number): Promise<void>;
  close(): Promise<void>;
}

async function inMemory(): Promise<Peer> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await theirServer().connect(far);
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(near);
  return peer(client, () => client.close());
}

async function overHttp(): Promise<Peer> {
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
  await theirServer().connect(transport);
  const listener = createServer((request, response) => void transport.handleRequest(request, response));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(url));
  return peer(client, async () => {
    await client.close();
    listener.closeAllConnections();
    listener.close();
  });
}

function peer(client: Client, close: () => Promise<void>): Peer {
  return {
    call: async (count) => {
      for (let i = 0; i < count; i++) {
        await client.callTool({ name: "get_customer", arguments: { customerId: `c${i}`, verbose: true } });
      }
    },
    close,
  };
}

function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function holds(value: number, bound: string): boolean {
  return bound.startsWith(">=") ? value >= Number(bound.slice(2)) : value <= Number(bound.slice(2));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
