import { connect } from "node:net";
import { setPriority } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { WebSocket } from "ws";
import { honest, hostile, tokenOf } from "./principals.ts";
import { Wires, hello } from "./wires.ts";
import type { Json } from "./wires.ts";

/** What one principal can do to a server. Attacks run in turn, several at once, until the parent pauses them. */
export interface HostileReport {
  /** How often each attack ended. */
  readonly attacks: Readonly<Record<string, number>>;
  /** How requests were answered: by status, or by what happened to the connection. */
  readonly answers: Readonly<Record<string, number>>;
  /** Attacks that did not end after the server had time for it. */
  readonly unanswered: readonly string[];
}

/** Attacks at the same time, and a pause after each: what this process computes should not be what slows others down. */
const lanes = 8;
const pauseMs = 20;
setPriority(19);

const [, , url = ""] = process.argv;
const wires = new Wires(url, tokenOf(hostile));
const environment = "/env/echo";
const attacks: Record<string, number> = {};
const answers: Record<string, number> = {};
const running = new Map<number, string>();
let isAttacking = false;
let count = 0;

function note(answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
}

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await wires.post(path, body, headers);
  const text = await response.text();
  note(response.status === 500 ? `500 ${text.slice(0, 200)}` : String(response.status));
}

const execute = (tool: string, input: Json) => send("/mcp/execute", { tool, arguments: input });
const code = (language: string, text: string) => execute("run_code", { code: text, language });
const many = (times: number, attack: (at: number) => Promise<void>) =>
  Promise.all(Array.from({ length: times }, (_, at) => attack(at))).then(() => undefined);

/** Sends without reading, and leaves. */
async function flood(path: string, frames: readonly string[]): Promise<void> {
  const socket: WebSocket = await wires.open(path);
  socket.on("error", () => note("socket error"));
  socket.on("close", (reason: number) => note(`socket closed ${reason}`));
  socket.pause();
  for (const frame of frames) socket.send(frame, () => undefined);
  await wait(1500);
  socket.terminate();
}

async function inSession(path: string, act: (headers: Record<string, string>) => Promise<void>): Promise<void> {
  const response = await wires.post(path, wires.message("initialize", hello));
  await response.text();
  note(`initialize ${response.status}`);
  await act({ "mcp-session-id": response.headers.get("mcp-session-id") ?? "" });
}

const rpc = (method: string, params: Json = {}) => JSON.stringify(wires.message(method, params));
const call = (name: string, input: Json) => rpc("tools/call", { name, arguments: input });
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const step = (message: string): Json => ({ type: "call_tool", tool_name: "echo_message", arguments: { message } });

const repertoire: Record<string, () => Promise<void>> = {
  "endless JavaScript": () => many(4, () => code("javascript", "for (;;);")),
  "endless Python": () => many(4, () => code("python", "while True: pass")),
  "endless Starlark": () => many(4, () => code("starlark", "while True: pass")),
  "JavaScript that fills memory": () =>
    code("javascript", "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)"),
  "Python that fills memory": () => code("python", "kept = []\nwhile True: kept.append(bytearray(10**6))"),
  "Starlark that fills memory": () => code("starlark", `${"a = range(10000000)\nb = list(a)\n".repeat(40)}len(b)`),
  "a great number": () => code("starlark", "len(str(7 << 50000000))"),
  "states that are kept": () =>
    many(4, () =>
      inSession("/mcp", async (headers) => {
        const kept = { code: "var kept = 'x'.repeat(20e6); kept.length" };
        await send("/mcp", call("run_code", kept), headers);
      }),
    ),
  "Python sessions that are left": () =>
    many(3, () =>
      inSession("/mcp", (headers) => send("/mcp", call("run_code", { code: "kept = 1", language: "python" }), headers)),
    ),
  "sessions that are left": () => many(30, () => inSession("/mcp", async () => undefined)),
  "calls without end": () => many(60, (at) => execute("say", { text: String(at) })),
  "calls from code without end": () =>
    code("javascript", "for (let n = 0; n < 2000; n++) await say('x'.repeat(10000)).catch(() => 0)"),
  "large arguments": () => many(3, () => execute("say", { text: "x".repeat(3e6) })),
  "deep arguments": () =>
    many(3, () => send("/mcp/execute", `{"tool":"say","arguments":{"text":${nested(1e6, "[", "]")}}}`)),
  "many small values": () => send("/mcp/execute", `{"tool":"say","arguments":{"text":[${"[],".repeat(1e6)}1]}}`),
  "names of megabytes": () => execute("x".repeat(3e6), {}),
  junk: () => many(10, () => send("/mcp", "{".repeat(100_000))),
  "lists on a socket, not read": () =>
    flood("/mcp", [rpc("initialize", hello), ...Array.from({ length: 2000 }, () => rpc("tools/list"))]),
  "a large batch on a socket": () => flood("/mcp", [`[${Array.from({ length: 5000 }, () => rpc("ping")).join(",")}]`]),
  "calls on a socket, not read": () =>
    flood("/mcp", [
      rpc("initialize", hello),
      ...Array.from({ length: 200 }, () => call("say", { text: "x".repeat(50_000) })),
    ]),
  "steps on a socket, not read": () =>
    flood(`${environment}/ws`, [
      JSON.stringify({ type: "reset", data: {} }),
      ...Array.from({ length: 1000 }, () => JSON.stringify({ type: "step", data: step("x".repeat(1000)) })),
    ]),
  "steps without end": () => many(50, (at) => send(`${environment}/step`, { action: step(String(at)) })),
  "resets without end": () => many(50, (at) => send(`${environment}/reset`, { seed: at })),
  "named resets without end": () =>
    many(50, (at) => send(`${environment}/reset`, { episode_id: `mallory-${count}-${at}` })),
  "episodes without end": () => many(50, () => send(`${environment}/control/episodes`, {})),
  "names of others' rollouts": () =>
    many(3, async (at) => {
      const clientInfo = { ...hello.clientInfo, _extra: { session_id: `rollout-of-${honest[at]}`, seed: 7 } };
      await send(`${environment}/mcp`, rpc("initialize", { ...hello, clientInfo }));
      await send(`${environment}/control/reset_session`, {}, { "mcp-session-id": `rollout-of-${honest[at]}` });
    }),
  "episodes of sessions without end": () =>
    many(20, () =>
      inSession(`${environment}/mcp`, (headers) =>
        send(`${environment}/mcp`, call("echo_message", { message: "x".repeat(1000) }), headers),
      ),
    ),
  "questions without end": () => many(40, (at) => execute("refund", { text: `mallory-${count}-${at}` })),
  "questions that wait": () =>
    inSession("/mcp", async (headers) =>
      many(20, (at) => send("/mcp", call("refund", { text: `w-${count}-${at}` }), headers)),
    ),
  "a note of list marks": async () => {
    await execute("vault_write", { path: "hostile.md", content: `---\na: ${nested(1500, "[", "]")}\n---\n` });
    await many(3, () => execute("vault_read", { path: "hostile.md" }));
    await execute("vault_search", { query: "a" });
  },
  "a note of links": async () => {
    await execute("vault_write", { path: "links.md", content: "[[a".repeat(300_000) });
    await execute("vault_read", { path: "links.md" });
  },
  "a memory of one line": async () => {
    await execute("memory_write", { content: "ab ".repeat(150_000) });
    await execute("memory_search", { query: "ab ab ab ab abc" });
  },
  "a file that is replaced everywhere": async () => {
    await execute("workspace_write", { path: "hostile.txt", content: "a".repeat(1e6) });
    const edit = { path: "hostile.txt", old_text: "a", new_text: "b".repeat(1000), replace_all: true };
    await execute("workspace_edit", edit);
    await execute("workspace_search", { query: "a".repeat(999) });
  },
  "a calendar without ends": async () => {
    await execute("workspace_write", { path: "shared.ics", content: "BEGIN:VEVENT\nEND:VTODO\n".repeat(20_000) });
    await execute("calendar_read", { calendar: "shared", days: 366 });
  },
  "requests that are never finished": async () => {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.write("POST /mcp/execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{");
      return socket;
    });
    await wait(1000);
    for (const socket of sockets) socket.destroy();
  },
  "answers that nobody waits for": async () => {
    const stop = new AbortController();
    const body = JSON.stringify({ tool: "run_code", arguments: { code: "for (;;);" } });
    const requests = Array.from({ length: 5 }, () =>
      fetch(`${url}/mcp/execute`, { method: "POST", body, headers: wires.headers, signal: stop.signal }).catch(() =>
        note("left"),
      ),
    );
    await wait(300);
    stop.abort();
    await Promise.all(requests);
  },
};

const names = Object.keys(repertoire);

async function lane(): Promise<void> {
  for (;;) {
    if (isAttacking) {
      const turn = count++;
      const name = names[turn % names.length] as string;
      running.set(turn, name);
      await repertoire[name]?.().catch((error: unknown) =>
        note(error instanceof Error ? error.message : String(error)),
      );
      running.delete(turn);
      attacks[name] = (attacks[name] ?? 0) + 1;
    }
    await wait(pauseMs);
  }
}

for (let n = 0; n < lanes; n++) void lane();
process.send?.("ready");

process.on("message", (said: string) => {
  isAttacking = said === "attack";
  if (said === "end") void end();
});

async function end(): Promise<void> {
  for (let waited = 0; running.size > 0 && waited < 90_000; waited += 100) await wait(100);
  const report: HostileReport = { attacks, answers, unanswered: Array.from(running.values()) };
  process.send?.(report, () => process.exit());
}
