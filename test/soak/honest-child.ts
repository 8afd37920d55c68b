import { honest, tokenOf } from "./principals.ts";
import { Wires } from "./wires.ts";
import type { Json } from "./wires.ts";

/**
 * Calls as three principals over every wire and with every engine, at a steady rate that does not wait for answers, so
 * that a slow answer delays no later request. Each call carries a mark, which its answer must contain.
 */
export interface HonestReport {
  /** Milliseconds of each answered request, by phase, principal and kind of request. */
  readonly latencies: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number[]>>>>>>;
  /** The marks of the calls that were answered. */
  readonly acknowledged: readonly string[];
  readonly asked: number;
  readonly failures: readonly string[];
}

type Kinds = Readonly<Record<string, (mark: string) => Promise<unknown>>>;

/** Five requests a second each, some of which make several calls: below the default limit of ten calls a second. */
const everyMs = 200;

const [, , url = "", person = ""] = process.argv;
const latencies: Record<string, Record<string, Record<string, number[]>>> = {};
const acknowledged: string[] = [];
const failures: string[] = [];
const running = new Set<Promise<void>>();
let asked = 0;
let phase = "warm-up";

const callers = await Promise.all(honest.map(async (name) => [name, await kindsOf(name)] as const));
const timers = callers.map(([name, kinds], at) => {
  const names = Object.keys(kinds);
  let next = at; // the callers are not in step
  return setInterval(() => {
    const kind = names[next++ % names.length] as string;
    const request = ask(name, kind, kinds[kind] as Kinds[string]);
    running.add(request);
    void request.finally(() => running.delete(request));
  }, everyMs);
});
process.send?.("ready");

process.on("message", (said: string) => {
  phase = said;
  if (said === "end") void end();
});

async function end(): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await Promise.all(running);
  const report: HonestReport = { latencies, acknowledged, asked, failures };
  process.send?.(report, () => process.exit());
}

async function ask(name: string, kind: string, request: Kinds[string]): Promise<void> {
  const mark = `${name}-${++asked}-${kind.replaceAll(/\W+/g, "-")}`;
  const during = phase;
  const started = performance.now();
  try {
    const answer = await request(mark);
    const took = performance.now() - started;
    if (!JSON.stringify(answer).includes(mark)) throw new Error(`another answer: ${JSON.stringify(answer)}`);
    ((latencies[during] ??= {})[name] ??= {})[kind] ??= [];
    latencies[during]?.[name]?.[kind]?.push(took);
    acknowledged.push(mark);
  } catch (error) {
    failures.push(`${mark}, ${during}, after ${Math.round(performance.now() - started)} ms: ${String(error)}`);
  }
}

async function kindsOf(name: string): Promise<Kinds> {
  const wires = new Wires(url, tokenOf(name));
  const environment = "/env/echo";
  const session = await wires.session();
  const socket = await wires.socket();
  const rollout = await wires.session(`${environment}/mcp`, { _extra: { session_id: `rollout-of-${name}`, seed: 1 } });
  const frame = await wires.openEnv(`${environment}/ws`);
  await frame({ type: "reset", data: {} });
  const reset = (await (await wires.post(`${environment}/reset`, {})).json()) as { metadata: { episode_id: string } };
  const step = (mark: string): Json => ({
    type: "call_tool",
    tool_name: "echo_message",
    arguments: { message: mark },
  });
  return {
    "MCP 2026-07-28": (mark) => wires.modern("say", { text: mark }),
    "MCP 2025-11-25": (mark) => session("say", { text: mark }),
    "MCP WebSocket": (mark) => socket("say", { text: mark }),
    REST: (mark) => wires.execute("say", { text: mark }),
    "JavaScript over REST": (mark) => wires.execute("run_code", { code: `await say("${mark}")` }),
    "Python in a session": (mark) => session("run_code", { code: `say("${mark}")`, language: "python" }),
    "Starlark over WebSocket": (mark) => socket("run_code", { code: `say("${mark}")`, language: "starlark" }),
    "OpenEnv socket": (mark) => frame({ type: "step", data: step(mark) }),
    "OpenEnv HTTP": async (mark) =>
      (await wires.post(`${environment}/step`, { action: step(mark), episode_id: reset.metadata.episode_id })).json(),
    "Eval Protocol": async (mark) => {
      const observed = await rollout("echo_message", { message: mark });
      const headers = { ...wires.headers, "mcp-session-id": `rollout-of-${name}` };
      const reward = await fetch(`${url}${environment}/control/reward`, { headers });
      return reward.status === 200 ? observed : reward.text();
    },
    "an approval": (mark) => approved(wires, mark),
    "a file": async (mark) => {
      const path = `${name}/${asked % 30}.txt`;
      await wires.execute("workspace_write", { path, content: mark });
      return wires.modern("workspace_read", { path });
    },
    "a note": async (mark) => {
      const path = `${name}/${asked % 30}.md`;
      await wires.execute("vault_write", { path, content: `# Note\n\n${mark}\n` });
      return session("vault_read", { path });
    },
    "a search": async (mark) => ({ mark, found: await wires.execute("memory_search", { query: mark }) }),
    "a calendar": async (mark) => ({ mark, found: await socket("calendar_read", { calendar: "team", days: 3 }) }),
  };
}

/** A call that asks, the answer of a person, and the call again. */
async function approved(wires: Wires, mark: string): Promise<unknown> {
  const asks = await wires.post("/mcp/execute", { tool: "refund", arguments: { text: mark } });
  const { approval } = (await asks.json()) as { approval?: { id: string } };
  const headers = { authorization: `Bearer ${person}`, "content-type": "application/json" };
  const body = JSON.stringify({ ids: [approval?.id], verdict: "approve" });
  const answer = await fetch(`${url}/api/approvals/answer`, { method: "POST", headers, body });
  if (answer.status !== 200) throw new Error(`The answer was refused: ${await answer.text()}`);
  return wires.execute("refund", { text: mark });
}
