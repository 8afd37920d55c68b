import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket, connect as connectTcp } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import type { Listening } from "biplane";
import { bearerTokens } from "biplane/governance";
import { arrivingBytes, readRequestBody } from "../../packages/core/src/wire/request-body.ts";

const kilobyte = 1024;
const defaults = arrivingBytes.limits;
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  arrivingBytes.limits = defaults;
});

const tokenOf = (name: string) => `${name}-0123456789-0123456789`;
const call = JSON.stringify({ tool: "go", arguments: {} });

async function listen(): Promise<Listening & AsyncDisposable> {
  const subject = server({ name: "bodies", tools: { go: tool({ run: () => "went" }) } });
  const people = { handle: async () => ({ status: 401, body: {} }) };
  const tokens = ["ann", "bob"].map((id) => ({ id, token: tokenOf(id) }));
  const listening = await subject.serve({ url: "http://127.0.0.1:0", authenticate: bearerTokens(tokens), people });
  arrivingBytes.limits = { perCaller: 100 * kilobyte, total: 1000 * kilobyte };
  return listening;
}

interface Unfinished {
  readonly path?: string;
  readonly caller?: string;
  readonly framing?: string;
  readonly body: string;
}

/** Sends a request whose body never ends. */
function begin({ url }: Listening, { path = "/mcp/execute", caller, framing, body }: Unfinished): Socket {
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1");
  opened.push(socket);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    framing ?? `Content-Length: ${body.length + 1}`,
    ...(caller === undefined ? [] : [`Authorization: Bearer ${tokenOf(caller)}`]),
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

const answerOf = async (socket: Socket) => String((await once(socket, "data"))[0]);

function execute({ url }: Listening, caller: string): Promise<Response> {
  const headers = { authorization: `Bearer ${tokenOf(caller)}`, "content-type": "application/json" };
  return fetch(`${url}/mcp/execute`, { method: "POST", headers, body: call });
}

test.each(["/mcp", "/mcp/execute"])("what a caller sends to %s and does not finish is charged to it", async (path) => {
  await using listening = await listen();
  begin(listening, { path, caller: "ann", body: " ".repeat(90 * kilobyte) });
  await vi.waitFor(() => expect(arrivingBytes.heldBy("token ann")).toBeGreaterThan(90 * kilobyte));
  const more = begin(listening, { path, caller: "ann", body: " ".repeat(20 * kilobyte) });
  expect(await answerOf(more)).toMatch(/^HTTP\/1.1 503 [\s\S]*One caller can hold at most 102400 bytes of arriving/);
  expect((await execute(listening, "bob")).status).toBe(200);
  expect((await execute(listening, "ann")).status).toBe(200); // arrives at once

  for (const socket of opened.splice(0)) socket.destroy();
  await vi.waitFor(() => expect(arrivingBytes.total).toBe(0));
});

test("a body that arrives in many small chunks costs more than its bytes", async () => {
  await using listening = await listen();
  const body = "1\r\n \r\n".repeat(2 * kilobyte);
  const socket = begin(listening, { caller: "ann", framing: "Transfer-Encoding: chunked", body });
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 503 /);
  await vi.waitFor(() => expect(arrivingBytes.total).toBe(0));
});

test("callers without credentials are charged for what they send to the admin API", async () => {
  await using listening = await listen();
  begin(listening, { path: "/api/login", body: " ".repeat(90 * kilobyte) });
  await vi.waitFor(() => expect(arrivingBytes.heldBy("anonymous 127.0.0.1")).toBeGreaterThan(90 * kilobyte));
  const more = begin(listening, { path: "/api/login", body: " ".repeat(20 * kilobyte) });
  expect(await answerOf(more)).toMatch(/^HTTP\/1.1 503 /);
});

test("every caller can send a body of the largest size that the server accepts", async () => {
  const maxBodyBytes = 80 * 2 ** 20;
  const subject = server({ name: "large", tools: {} });
  await using _ = await subject.serve({ url: "http://127.0.0.1:0", maxBodyBytes });
  expect(arrivingBytes.limits.perCaller).toBeGreaterThan(maxBodyBytes);
});

test("large bodies that arrive together are handled one in each turn, and callers take turns", async () => {
  const handled: string[] = [];
  const turns = new Set<number>();
  let turn = 0;
  const count = () => void (++turn, handled.length < bodies.length && setImmediate(count));
  const bodies = ["ann 1", "ann 2", "ann 3", "bob 1"];
  setImmediate(count);
  await new Promise<void>((resolve) => {
    for (const name of bodies) {
      const request = new IncomingMessage(new Socket());
      const principal = { kind: "token", id: name.slice(0, 3) } as const;
      readRequestBody(request, { maxBytes: 1000 * kilobyte, principal }, (text) => {
        handled.push(`${name}: ${String(text).length}`);
        turns.add(turn);
        for (const endsAt = performance.now() + 5; performance.now() < endsAt;); // longer than a turn
        if (handled.length === bodies.length) resolve();
      });
      request.push(Buffer.alloc(300 * kilobyte, "x"));
      request.push(Buffer.alloc(300 * kilobyte, "y"));
      request.push(null);
    }
  });
  const size = 600 * kilobyte;
  expect(handled).toEqual(["ann 1", "bob 1", "ann 2", "ann 3"].map((name) => `${name}: ${size}`));
  expect(turns.size).toBe(bodies.length);
  expect(arrivingBytes.total).toBe(0);
});
