/**
 * The cost of mounting: a tool in this process mounted and not mounted, a remote tool mounted and called directly, and
 * a list of a thousand tools from twenty mounts and from one server.
 *
 *   npm run bench:mount
 */
import { serverOf } from "@biplane/core/internal";
import { join } from "node:path";
import { server, tool } from "biplane";
import { connect } from "biplane/client";
import { LiveCall } from "../packages/core/src/call/live-call.ts";
import { Child } from "./mcp/child.ts";
import { median, ratio, table } from "./mcp/figures.ts";
import { isMissed } from "./mcp/verdict.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 9);
const figures = new Map<string, { rounds: number[] }>();

await inProcess();
await overHttp();
await lists();
report({
  local_vs_unmounted: { found: compare("mounted", "unmounted"), bound: { max: 1.1 } },
  http_proxied_vs_direct: { found: compare("HTTP, proxied", "HTTP, direct"), bound: { max: 2.0 } },
  list1000_over_20_mounts_vs_one: { found: compare("list over 20 mounts", "list of one server"), bound: { max: 1.1 } },
});

/** CPU microseconds per in-process call. */
async function inProcess(): Promise<void> {
  const options = { version: "1", limits: false } as const;
  const add = tool({
    name: "add",
    input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    run: ({ a, b }) => ({ sum: a + b }),
  });
  const plain = server({ name: "plain", tools: [add], ...options });
  const parent = server({ name: "parent", ...options }).mount(
    "child",
    server({ name: "child", tools: [add], ...options }),
  );
  const caller = {
    route: "direct",
    principal: { kind: "local", id: "bench", scopes: [] },
    agent: { agentId: "bench", model: undefined, requestId: "1", metadata: {} },
  } as const;
  const run = (gateway: typeof plain, count: number) => {
    const before = process.cpuUsage();
    for (let at = 0; at < count; at++)
      void serverOf(gateway).perform(new LiveCall({ tool: "add", input: { a: at, b: 1 }, ...caller }));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  for (const gateway of [plain, parent]) run(gateway, 200_000);
  for (let round = 0; round < rounds; round++) {
    note("unmounted", run(plain, 200_000));
    note("mounted", run(parent, 200_000));
  }
}

/** Latency per call in microseconds, with eight calls at once. */
async function overHttp(): Promise<void> {
  const upstream = await Child.start(join(import.meta.dirname, "mount/upstream.mjs"), []);
  const proxy = await Child.start(join(import.meta.dirname, "mount/proxy.mjs"), [String(upstream.port)]);
  try {
    await using direct = await connect(`http://127.0.0.1:${upstream.port}/mcp`);
    await using proxied = await connect(`http://127.0.0.1:${proxy.port}/mcp`);
    const run = async (client: typeof direct, count: number) => {
      const before = performance.now();
      let left = count;
      const worker = async () => {
        while (left-- > 0) await client.callTool("add", { a: left, b: 1 });
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      return ((performance.now() - before) * 1000) / count;
    };
    for (const client of [direct, proxied]) await run(client, 1500);
    for (let round = 0; round < rounds; round++) {
      note("HTTP, direct", await run(direct, 1500));
      note("HTTP, proxied", await run(proxied, 1500));
    }
  } finally {
    proxy.stop();
    upstream.stop();
  }
}

/** CPU microseconds per `tools/list` over HTTP. */
async function lists(): Promise<void> {
  const make = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) =>
      tool({ name: `tool_${from + at}`, description: "One of very many", run: () => "x" }),
    );
  const one = server({ name: "one", version: "1", tools: make(1000, 0) });
  const many = server({ name: "many", version: "1" });
  for (let at = 0; at < 20; at++)
    many.mount(`m${at}`, server({ name: `m${at}`, version: "1", tools: make(50, at * 50) }));
  const addresses = [(await one.serve("http://127.0.0.1:0")).url, (await many.serve("http://127.0.0.1:0")).url];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const run = async (url: string, count: number) => {
    const before = process.cpuUsage();
    for (let at = 0; at < count; at++)
      await (
        await fetch(`${url}/mcp`, { method: "POST", body, headers: { "content-type": "application/json" } })
      ).text();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  for (const url of addresses) await run(url, 200);
  for (let round = 0; round < rounds; round++) {
    note("list of one server", await run(addresses[0] ?? "", 300));
    note("list over 20 mounts", await run(addresses[1] ?? "", 300));
  }
  await Promise.all([one.close(), many.close()]);
}

function note(name: string, figure: number): void {
  const found = figures.get(name);
  if (found) found.rounds.push(figure);
  else figures.set(name, { rounds: [figure] });
}

function compare(over: string, under: string): number {
  return ratio(figures.get(over) ?? { rounds: [] }, figures.get(under) ?? { rounds: [] });
}

function report(results: Record<string, { found: number; bound: { max: number } }>): void {
  const rows = [...figures].map(([name, { rounds: all }]) => [name, median(all).toFixed(2)]);
  process.stdout.write(`\nMicroseconds, medians of ${rounds} rounds\n\n${table(["what", "median"], rows)}\n\n`);
  for (const [name, { found, bound }] of Object.entries(results))
    process.stdout.write(`${name} ${found.toFixed(2)} (at most ${bound.max})\n`);
  const ratios = Object.fromEntries(
    Object.entries(results).map(([name, { found }]) => [name, Number(found.toFixed(3))]),
  );
  const bounds = Object.fromEntries(Object.entries(results).map(([name, { bound }]) => [name, bound]));
  process.stdout.write(`${JSON.stringify({ bench: "mount", ratios, bounds })}\n`);
  if (Object.values(results).some(({ found, bound }) => isMissed(found, bound))) process.exitCode = 1;
}
