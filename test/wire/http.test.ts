import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { BiplaneError, server, tool } from "biplane";
import { createRedactor } from "@biplane/core/internal";
import type { ServeOptions, Server } from "biplane";
import type { Json } from "./endpoints.ts";

const opened: Server[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

describe("sessions", () => {
  test("an idle session ends and is not found any more", async () => {
    const { url } = await serve({ sessionIdleMs: 600 });
    const session = await initialize(url);
    await expect.poll(async () => (await post(url, ping, session)).status).toBe(200);
    await expect
      .poll(async () => (await post(url, ping, await idle(session, 1500))).status, { timeout: 30_000 })
      .toBe(404);
  });

  test("when there are too many, the one that was idle longest is closed", async () => {
    const { url } = await serve({ maxSessions: 3 });
    const sessions = [await initialize(url), await initialize(url), await initialize(url)];
    await post(url, ping, sessions[0]);
    const last = await initialize(url);
    const statuses = await Promise.all([...sessions, last].map(async (each) => (await post(url, ping, each)).status));
    expect(statuses).toEqual([200, 404, 200, 200]);
  });

  test("when all are busy, a new one is refused", async () => {
    const { url, started, release } = await serve({ maxSessions: 1 });
    const session = await initialize(url);
    const running = post(url, hold, session);
    await started();
    const response = await post(url, hello);
    expect(response.status).toBe(503);
    release();
    await running;
  });

  test("DELETE ends a session and cancels what runs in it", async () => {
    const { url, started, stopped } = await serve();
    const session = await initialize(url);
    const running = post(url, hold, session);
    await started();
    expect((await fetch(`${url}/mcp`, { method: "DELETE", headers: session })).status).toBe(200);
    expect(await stopped()).toBe("CANCELLED");
    expect(await (await running).json()).toMatchObject({ error: { code: -32800 } });
    expect((await post(url, ping, session)).status).toBe(404);
  });

  test("a session belongs to who opened it", async () => {
    const authenticate: ServeOptions["authenticate"] = ({ headers }) =>
      headers.authorization ? { kind: "token", id: String(headers.authorization), scopes: [] } : undefined;
    const { url } = await serve({ authenticate });
    const mine = { authorization: "Bearer me" };
    const session = await initialize(url, mine);
    expect((await post(url, ping, { ...session, ...mine })).status).toBe(200);
    expect((await post(url, ping, { ...session, authorization: "Bearer you" })).status).toBe(404);
    expect((await post(url, ping, session)).status).toBe(401);
  });

  test("a stream that broke off is picked up where it ended", async () => {
    const { url, started, release } = await serve();
    const session = await initialize(url);
    const broken = new AbortController();
    const headers = { ...jsonHeaders, accept: "application/json, text/event-stream", ...session };
    const first = await fetch(`${url}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify(hold),
      signal: broken.signal,
    });
    await started();
    const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes("working")) seen += (await reader?.read())?.value ?? "";
    const lastEventId = [...seen.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? "";
    broken.abort();
    release();
    const resumed = await fetch(`${url}/mcp`, {
      headers: { accept: "text/event-stream", "last-event-id": lastEventId, ...session },
    });
    const rest = await resumed.text();
    expect(seen).toMatch(/^id: .+\nretry: \d+\ndata: \n\n/);
    expect(rest).toContain('"result":{"content":[{"type":"text","text":"released"}]}');
    expect(rest).not.toContain("working");
  });
});

describe("cancelling", () => {
  test("a modern client that hangs up cancels its call", async () => {
    const { url, started, stopped } = await serve();
    const leaving = new AbortController();
    const running = fetch(`${url}/mcp`, { method: "POST", ...modernHold, signal: leaving.signal }).catch(() => "gone");
    await started();
    leaving.abort();
    expect(await stopped()).toBe("CANCELLED");
    expect(await running).toBe("gone");
  });

  test("a REST client that hangs up cancels its call", async () => {
    const { url, started, stopped } = await serve();
    const leaving = new AbortController();
    const running = fetch(`${url}/mcp/execute`, {
      method: "POST",
      body: '{"tool":"hold"}',
      signal: leaving.signal,
    }).catch(() => "gone");
    await started();
    leaving.abort();
    expect(await stopped()).toBe("CANCELLED");
    expect(await running).toBe("gone");
  });

  test("a notice in the session cancels a call of the older era", async () => {
    const { url, started, stopped } = await serve();
    const session = await initialize(url);
    const running = post(url, hold, { ...session, accept: "application/json, text/event-stream" });
    await started();
    await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: hold.id } }, session);
    expect(await stopped()).toBe("CANCELLED");
    const answer = await running;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await answer.text()).not.toContain(`"id":${hold.id}`);
  });

  test("a client that accepts no stream gets the cancellation as JSON", async () => {
    const { url, started } = await serve();
    const session = await initialize(url);
    const running = post(url, hold, session);
    await started();
    await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: hold.id } }, session);
    expect(await (await running).json()).toMatchObject({ id: hold.id, error: { code: -32800 } });
  });
});

describe("requests that are refused early", () => {
  test.each([
    ["another name for this machine", { host: "evil.example:80" }, 403],
    ["no name at all", { host: "" }, 403],
    ["a page from elsewhere", { origin: "https://evil.example" }, 403],
    ["a page without an origin", { origin: "null" }, 403],
    ["a page of this machine", { origin: "http://localhost:3000" }, 200],
    ["the name localhost", { host: "localhost:1" }, 200],
    ["the address of IPv6", { host: "[::1]:8000" }, 200],
  ])("%s", async (_, headers, status) => {
    const { url } = await serve();
    expect((await raw(url, ping, headers)).status).toBe(status);
  });

  test("a body that is not declared as JSON is refused", async () => {
    const { url } = await serve();
    const body = JSON.stringify(ping);
    expect(
      (await fetch(`${url}/mcp`, { method: "POST", body, headers: { "content-type": "text/plain" } })).status,
    ).toBe(415);
  });

  test("a body over the limit is refused, whether announced or not", async () => {
    const { url } = await serve({ maxBodyBytes: 1000 });
    const big = JSON.stringify({ ...ping, params: { x: "x".repeat(2000) } });
    expect((await fetch(`${url}/mcp`, { method: "POST", body: big, headers: jsonHeaders })).status).toBe(413);
    const stream = new Blob([big]).stream();
    const chunked = { method: "POST", body: stream, headers: jsonHeaders, duplex: "half" } as RequestInit;
    expect((await fetch(`${url}/mcp`, chunked)).status).toBe(413);
    expect((await post(url, ping)).status).toBe(200);
  });

  test("a message that nests too deep is refused, one that only looks so is not", async () => {
    const { url } = await serve();
    const deep = (inner: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${inner}}}`;
    const answer = async (body: string) =>
      (await fetch(`${url}/mcp`, { method: "POST", body, headers: jsonHeaders })).json();
    expect(await answer(deep("[".repeat(200) + "]".repeat(200)))).toMatchObject({ error: { code: -32600 } });
    expect(await answer(deep(JSON.stringify(`\\"${"[".repeat(500)}`)))).toMatchObject({ result: {} });
    expect(await answer(deep(`[${"[],".repeat(500)}1]`))).toMatchObject({ result: {} });
  });

  test("an address that others can reach needs authentication", async () => {
    const subject = server({ name: "s", version: "1" });
    await expect(subject.serve("http://0.0.0.0:0")).rejects.toThrow(/authenticate/);
    await expect(subject.serve("ftp://x")).rejects.toBeInstanceOf(BiplaneError);
  });
});

describe("closing", () => {
  test("lets a running call end and answers it", async () => {
    const { subject, url, started, release } = await serve();
    const running = fetch(`${url}/mcp`, { method: "POST", ...modernHold });
    await started();
    const closing = subject.close();
    release();
    expect(await (await running).json()).toMatchObject({ result: { content: [{ text: "released" }] } });
    await closing;
  });

  test("does not wait for ever for a call that will not end", async () => {
    const { subject, url, started, stopped } = await serve({ graceMs: 20 });
    const running = fetch(`${url}/mcp`, { method: "POST", ...modernHold }).then((response) => response.status);
    await started();
    await subject.close();
    expect(await stopped()).toBe("CANCELLED");
    expect([200, "cut"]).toContain(await running.catch(() => "cut"));
  });

  test("does not wait for a client that is half way through its request", async () => {
    const { subject, url } = await serve();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    expect((await post(url, ping)).status).toBe(200);
    await subject.close();
    if (!socket.destroyed) await once(socket, "close");
  });
});

test("lists come in pages of the size that was set", async () => {
  const tools = Array.from({ length: 5 }, (_, at) => tool({ name: `t${at}`, run: () => at }));
  const subject = server({ name: "s", version: "1", tools });
  opened.push(subject);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", pageSize: 2 });
  const names: string[] = [];
  let cursor: unknown;
  do {
    const response = await post(url, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
    });
    const { result } = (await response.json()) as { result: { tools: { name: string }[]; nextCursor?: string } };
    names.push(...result.tools.map(({ name }) => name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  expect(names).toEqual(["t0", "t1", "t2", "t3", "t4"]);
  const wrong = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "nonsense" } });
  expect(await wrong.json()).toMatchObject({ error: { code: -32602 } });
});

test("a page of a list is made of its own entries only", async () => {
  let redacted = 0;
  const none = createRedactor([{ name: "KEY", value: "a-secret-that-nothing-holds" }]);
  const value = <T>(list: T): T => {
    redacted += Array.isArray(list) ? list.length : 0;
    return none.value(list);
  };
  const tools = Array.from({ length: 50 }, (_, at) => tool({ name: `t${at}`, run: () => at }));
  const subject = server({ name: "s", tools, secrets: { redactor: () => ({ ...none, value }) } });
  opened.push(subject);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", pageSize: 5 });
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const response = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/list", params });
    cursor = ((await response.json()) as { result: { nextCursor?: string } }).result.nextCursor;
  } while (cursor !== undefined);
  expect(redacted).toBe(50);
});

const jsonHeaders = { "content-type": "application/json" };
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const hold = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "hold", arguments: {} } };
const hello = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const modernHold = {
  headers: { ...jsonHeaders, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "hold" },
  body: JSON.stringify({
    ...hold,
    params: {
      ...hold.params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

/** A server whose one tool runs until the test ends it. */
async function serve(options: ServeOptions = {}) {
  let announceStart: () => void = () => undefined;
  let announceStop: (code: string) => void = () => undefined;
  let letGo: (text: string) => void = () => undefined;
  const started = new Promise<void>((resolve) => (announceStart = resolve));
  const stopped = new Promise<string>((resolve) => (announceStop = resolve));
  const held = new Promise<string>((resolve) => (letGo = resolve));
  const run = (_: unknown, call: { log: (level: "info", data: unknown) => void; signal: AbortSignal }) => {
    call.log("info", "working");
    call.signal.addEventListener("abort", () => announceStop((call.signal.reason as BiplaneError).code));
    announceStart();
    return held;
  };
  const subject = server({ name: "s", version: "1", tools: { hold: tool({ timeoutMs: 60_000, run }) } });
  opened.push(subject);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", ...options });
  return { subject, url, started: () => started, stopped: () => stopped, release: () => letGo("released") };
}

function post(url: string, body: Json, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/mcp`, { method: "POST", body: JSON.stringify(body), headers: { ...jsonHeaders, ...headers } });
}

async function initialize(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const response = await post(url, hello, headers);
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

/** Leaves a session alone for a while, which is what is tested. */
async function idle<T>(session: T, ms: number): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return session;
}

/** A request with headers that `fetch` forbids. */
async function raw(url: string, body: Json, headers: Record<string, string>): Promise<{ status: number }> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const text = JSON.stringify(body);
  const all = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    "content-length": String(text.length),
    connection: "close",
    ...headers,
  };
  socket.end(
    `POST /mcp HTTP/1.1\r\n${Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n${text}`,
  );
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, "close");
  return { status: Number(answer.split(" ")[1]) };
}

test("requests that offer another protocol leave nothing on their connection", async () => {
  await using subject = server({ name: "upgrades", tools: {} });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on("warning", onWarning);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
  for (let sent = 0; sent < 15; sent++) {
    socket.write(request);
    expect(String((await once(socket, "data"))[0])).toContain("200 OK");
  }
  socket.destroy();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
