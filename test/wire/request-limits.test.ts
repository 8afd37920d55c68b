import { expect, test } from "vitest";
import { allow, environment, server, tool } from "biplane";
import type { Server, ServerOptions } from "biplane";
import { connect } from "biplane/client";
import { gallery } from "@biplane/gallery";
import { serveMemory } from "../../packages/core/src/wire/serve-memory.ts";

const limits = { perPrincipal: { perSecond: 0.001, burst: 4 } };
const made = (options: Partial<ServerOptions> = {}) =>
  server({ name: "limited", tools: { go: tool({ run: () => "went" }) }, ...options });

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

const version = "io.modelcontextprotocol/protocolVersion";
const modern = { [version]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

interface Answered {
  readonly error?: { readonly code: number; readonly message: string };
}

async function post(url: string, message: object, more: Record<string, string> = {}): Promise<Answered> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...more };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
  return (await response.json()) as Answered;
}

interface Line {
  readonly send: (message: object) => Promise<Answered>;
  readonly close: () => Promise<void>;
}

async function overHttp(subject: Server, more: Record<string, string> = {}): Promise<Line> {
  const listening = await subject.serve("http://127.0.0.1:0");
  const send = (message: object) => post(listening.url, message, { ...headersFor(message), ...more });
  return { send, close: () => listening.close() };
}

/** The headers that a stateless request repeats its method and name in. */
function headersFor(message: object): Record<string, string> {
  const { method, params } = message as { method: string; params?: { name?: string; _meta?: object } };
  if (params?._meta !== modern) return {};
  return { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": params.name ?? "" };
}

async function overMemory(subject: Server): Promise<Line> {
  const received: ((message: Answered) => void)[] = [];
  const channel = serveMemory(subject, { kind: "local", id: "me", scopes: [] })({
    onMessage: (text) => received.shift()?.(JSON.parse(text) as Answered),
    onOversize: () => undefined,
    onClose: () => undefined,
  });
  const send = (message: object) =>
    new Promise<Answered>((resolve) => {
      received.push(resolve);
      channel.send(JSON.stringify(message));
    });
  return { send, close: () => Promise.resolve(channel.close()) };
}

test("over HTTP, lists and calls count against one rate", async () => {
  const subject = made({ limits });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const call = { ...list, method: "tools/call", params: { name: "go", arguments: {} } };
  for (const message of [list, call, list, call]) expect((await post(url, message)).error).toBeUndefined();
  const refused = { code: -32000, message: "Rate limit exceeded. Please try again later." };
  expect((await post(url, list)).error).toMatchObject(refused);
  expect((await post(url, call)).error).toMatchObject(refused);
  await subject.close();
});

test.each(["ws", "memory"] as const)("over %s, every request of a connection counts", async (kind) => {
  const subject = made({ limits });
  const target = kind === "ws" ? (await subject.serve("ws://127.0.0.1:0")).url + "/mcp" : subject;
  const client = await connect(target, { reconnect: { attempts: 0 } });
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => client.request("tools/list", {})));
  const failed = attempts.filter(({ status }) => status === "rejected");
  expect(failed.length).toBeGreaterThanOrEqual(2);
  expect(String((failed[0] as PromiseRejectedResult).reason)).toContain("Rate limit exceeded");
  await client.close();
  await subject.close();
});

const call = (params: object) => ({ ...list, method: "tools/call", params });

test.each([
  ["an unknown method", { ...list, method: "nonsense" }],
  ["a call without a name", call({})],
  ["a call of an unknown tool", call({ name: "nonsense" })],
  ["an unknown resource", { ...list, method: "resources/read", params: { uri: "nothing://here" } }],
  ["an unknown prompt", { ...list, method: "prompts/get", params: { name: "nonsense" } }],
  ["a completion of nothing", { ...list, method: "completion/complete" }],
  ["an initialize without a version", { ...list, method: "initialize" }],
  ["a message that is not JSON-RPC", { id: 1 }],
  ["a request of a version that does not exist", { ...list, params: { _meta: { [version]: "1999-01-01" } } }],
  ["a request with a forged state", call({ name: "go", requestState: "forged", _meta: modern })],
  ["a ping", { ...list, method: "ping" }],
])("over HTTP and memory, %s counts once", async (_, message) => {
  for (const over of ["HTTP", "memory"] as const) {
    const subject = made({ limits });
    const { send, close } = over === "HTTP" ? await overHttp(subject) : await overMemory(subject);
    const codes: (number | undefined)[] = [];
    for (let at = 0; at < 6; at++) codes.push((await send(message)).error?.code);
    expect(codes.slice(0, 4)).not.toContain(-32000);
    expect(codes.slice(4)).toEqual([-32000, -32000]);
    await close();
    await subject.close();
  }
});

test("a request to a session that is gone counts", async () => {
  const subject = made({ limits });
  const { send, close } = await overHttp(subject, { "mcp-session-id": "gone" });
  for (let at = 0; at < 4; at++) expect((await send(list)).error?.code).toBe(-32001);
  expect((await send(list)).error?.code).toBe(-32000);
  await close();
  await subject.close();
});

test("a simulated environment is exempt, so that trainers are not slowed down", async () => {
  const lake = gallery["frozen-lake"]?.();
  lake?.govern({ limits });
  const { url } = (await lake?.serve("http://127.0.0.1:0")) ?? { url: "" };
  for (let at = 0; at < 10; at++) expect((await post(url, list)).error).toBeUndefined();
  await lake?.close();
});

test("without limits nothing is counted", async () => {
  const subject = made();
  const { url } = await subject.serve("http://127.0.0.1:0");
  for (let at = 0; at < 50; at++) expect((await post(url, list)).error).toBeUndefined();
  await subject.close();
});

test("in production an environment is limited like a server", async () => {
  const game = environment({
    name: "game",
    mode: "production",
    policies: [() => allow()],
    limits,
    start: () => ({}),
    observe: () => ({}),
    tools: (define) => ({ go: define({ run: () => "went" }) }),
  });
  const { url } = await game.serve("http://127.0.0.1:0");
  for (let at = 0; at < 4; at++) expect((await post(url, list)).error).toBeUndefined();
  expect((await post(url, list)).error?.code).toBe(-32000);
  await game.close();
});
