import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { environment, server, tool } from "biplane";
import type { ServeOptions } from "biplane";
import { bearerTokens } from "biplane/governance";
import { z } from "zod";
import { firstData, open } from "../../support/raw-http.ts";
import { call, order, post, responsesIn } from "./twin.ts";

/** The requests that `node:http` read. */
let byNode = 0;
const count = () => void byNode++;
const sockets: Socket[] = [];

beforeEach(() => {
  byNode = 0;
  subscribe("http.server.request.start", count);
});
afterEach(() => {
  unsubscribe("http.server.request.start", count);
  for (const socket of sockets.splice(0)) socket.destroy();
});

const echo = tool({ input: z.object({ text: z.string() }), run: ({ text }) => text });

async function serve(tools: Parameters<typeof server>[0]["tools"] = { echo }, options: ServeOptions = {}) {
  const subject = server({ name: "subject", tools });
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", graceMs: 200, ...options });
  return { subject, port: Number(new URL(url).port), url, [Symbol.asyncDispose]: () => subject.close() };
}

async function connected(port: number): Promise<Socket> {
  const socket = await open(port, { allowHalfOpen: true });
  sockets.push(socket);
  return socket;
}

/** Reads `n` responses. */
async function responses(socket: Socket, n: number): Promise<string[]> {
  let text = "";
  while (responsesIn(text).length < n || !/\r\n\r\n[^]*\}$|0\r\n\r\n$/.test(text)) text += await firstData(socket);
  return responsesIn(text);
}

test("requests of one connection are answered without node:http", async () => {
  await using subject = await serve();
  const socket = await connected(subject.port);
  for (const word of ["one", "two", "three"]) {
    socket.write(post({ body: call(word) }));
    expect(await firstData(socket)).toContain(`"text":"${word}"`);
  }
  expect(byNode).toBe(0);
});

test("a connection goes to node:http with its first other request, and stays there", async () => {
  await using subject = await serve();
  const socket = await connected(subject.port);
  socket.write(`${post({ body: call("one") })}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  expect(await responses(socket, 2)).toEqual([expect.stringContaining('"one"'), expect.stringContaining('"ok"')]);
  expect(byNode).toBe(1);
  socket.write(post({ body: call("two") }));
  expect(await firstData(socket)).toContain('"two"');
  expect(byNode).toBe(2);
});

test("fastLane: false leaves every request to node:http", async () => {
  await using subject = await serve({ echo }, { fastLane: false });
  const socket = await connected(subject.port);
  socket.write(post());
  await firstData(socket);
  expect(byNode).toBe(1);
});

test("fetch takes the fast lane", async () => {
  await using subject = await serve();
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${subject.url}/mcp/execute`, { method: "POST", headers, body: order("fetched") });
  expect(await answer.json()).toEqual({ result: "fetched", request_id: "r" });
  expect(byNode).toBe(0);
});

test("steps of an environment take the fast lane", async () => {
  await using subject = environment({
    name: "counter",
    start: () => ({ n: 0 }),
    observe: ({ n }) => n,
    tools: (tool) => ({ go: tool({ run: (_, { state }) => String(++state.n) }) }),
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const send = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as unknown;
  };
  await send("/reset", {});
  const step = { action: { type: "call_tool", tool_name: "go", arguments: {} } };
  await send("/step", step);
  expect(await send("/env/counter/step", step)).toMatchObject({ done: false });
  expect(byNode).toBe(0);
});

test("a request in pieces is answered", async () => {
  await using subject = await serve();
  const socket = await connected(subject.port);
  const text = post({ body: call("pieces") });
  socket.write(text.slice(0, 10));
  await nextTurn();
  socket.write(text.slice(10, -5));
  await nextTurn();
  socket.write(text.slice(-5));
  expect(await firstData(socket)).toContain('"pieces"');
  expect(byNode).toBe(0);
});

test("a large body is left to node:http", async () => {
  await using subject = await serve();
  const socket = await connected(subject.port);
  socket.write(post({ body: call("x".repeat(100_000)) }));
  const [response] = await responses(socket, 1);
  expect(response).toContain("200 OK");
  expect(byNode).toBe(1);
});

test("pipelined requests are answered in order, also if the first takes long", async () => {
  let finish = () => {};
  const slow = tool({ run: () => new Promise<string>((resolve) => (finish = () => resolve("slow"))) });
  await using subject = await serve({ echo, slow });
  const socket = await connected(subject.port);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow" } });
  socket.write(post({ body }) + post({ body: call("two") }));
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  finish();
  const all = await responses(socket, 3);
  expect(all.map((each) => /slow|two|ok"/.exec(each)?.[0])).toEqual(["slow", "two", 'ok"']);
});

test("a call is cancelled when its client disconnects", async () => {
  const events = new EventEmitter();
  const [started, stopped] = [once(events, "started"), once(events, "stopped")];
  const slow = tool({
    run: (_, { signal }) => {
      signal.addEventListener("abort", () => events.emit("stopped"));
      events.emit("started");
      return new Promise<string>(() => {});
    },
  });
  await using subject = await serve({ slow });
  const socket = await connected(subject.port);
  socket.write(post({ path: "/mcp/execute", body: JSON.stringify({ tool: "slow" }) }));
  await started;
  socket.destroy();
  await stopped;
  expect(byNode).toBe(0);
});

test("progress is streamed before the answer", async () => {
  const slow = tool({
    run: async (_, call) => {
      call.progress(1, { message: "half ü" });
      await nextTurn();
      return "done";
    },
  });
  await using subject = await serve({ slow });
  const params = { name: "slow", arguments: {}, _meta: { progressToken: "p" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const send = async () => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(`${subject.url}/mcp`, { method: "POST", headers, body });
    return answer.text();
  };
  const streamed = await send();
  expect(streamed).toContain("half ü");
  expect(streamed).toContain("done");
  expect(byNode).toBe(0);
  const { url } = await subject.subject.serve({ url: "http://127.0.0.1:0", fastLane: false });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  expect(await (await fetch(`${url}/mcp`, { method: "POST", headers, body })).text()).toBe(streamed);
});

test("a client that does not read its answers is not read either", async () => {
  let ran = 0;
  const long = tool({
    run: () => {
      ran++;
      return "x".repeat(100_000);
    },
  });
  await using subject = await serve({ long });
  const socket = await connected(subject.port);
  socket.pause();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "long" } });
  const many = 400;
  for (let sent = 0; sent < many; sent++) socket.write(post({ body }));
  for (let before = -1; before !== ran;) {
    before = ran;
    for (let turn = 0; turn < 100; turn++) await nextTurn();
  }
  expect(ran).toBeGreaterThan(0);
  expect(ran).toBeLessThan(many / 2); // what the two sockets hold
  let received = 0;
  const all = new Promise<void>((resolve) =>
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > many * 100_000 && ran === many) resolve();
    }),
  );
  socket.resume();
  await all;
  expect(byNode).toBe(0);
});

test("close ends idle connections at once, and waits for running calls", async () => {
  let finish = () => {};
  const slow = tool({ run: () => new Promise<string>((resolve) => (finish = () => resolve("slow"))) });
  const { subject, port } = await serve({ echo, slow }, { graceMs: 10_000 });
  const [idle, busy] = [await connected(port), await connected(port)];
  idle.write(post());
  await firstData(idle);
  busy.write(post({ path: "/mcp/execute", body: JSON.stringify({ tool: "slow" }) }));
  await expect.poll(() => String(finish)).toContain("resolve");
  idle.resume();
  const ended = once(idle, "end");
  const closing = subject.close();
  await ended;
  finish();
  expect(await firstData(busy)).toContain('"slow"');
  await closing;
});

test("a client that has ended its side is answered what was ready, and no more", async () => {
  const never = tool({ run: () => new Promise<string>(() => {}) });
  await using subject = await serve({ echo, never });
  const socket = await connected(subject.port);
  socket.end(post() + post({ path: "/mcp/execute", body: JSON.stringify({ tool: "never" }) }));
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  await once(socket, "end");
  expect(responsesIn(Buffer.concat(received).toString())).toHaveLength(1);
});

test("each request is authenticated, also with the same head", async () => {
  const tokens = [{ id: "ann", token: "ann-0123456789-0123456789" }];
  await using subject = await serve({ echo }, { authenticate: bearerTokens(tokens) });
  const socket = await connected(subject.port);
  const known = { headers: { Authorization: "Bearer ann-0123456789-0123456789" } };
  const statuses: string[] = [];
  for (const options of [known, {}, known, { headers: { Authorization: "Bearer wrong" } }, known]) {
    socket.write(post(options));
    statuses.push((await firstData(socket)).slice(9, 12));
  }
  expect(statuses).toEqual(["200", "401", "200", "401", "200"]);
  expect(byNode).toBe(0);
});

test("an authenticator cannot change the headers of later requests", async () => {
  const faults: unknown[] = [];
  const subject = server({ name: "subject", tools: { echo }, onFault: (fault) => void faults.push(fault) });
  const { url } = await subject.serve({
    url: "http://127.0.0.1:0",
    authenticate: ({ headers }) => {
      const id = String(headers["x-user"]);
      Object.assign(headers, { "x-user": "admin" });
      return { kind: "token", id, scopes: [] };
    },
  });
  const socket = await connected(Number(new URL(url).port));
  for (let time = 0; time < 2; time++) {
    socket.write(post({ headers: { "X-User": "ann" } }));
    expect(await firstData(socket)).toContain("401");
  }
  expect(faults).toHaveLength(2);
  await subject.close();
});

test("what a request stores in its asynchronous context does not reach the next", async () => {
  const storage = new AsyncLocalStorage<string>();
  const mark = tool({
    run: () => {
      const before = storage.getStore() ?? "nothing";
      storage.enterWith("left behind");
      return before;
    },
  });
  await using subject = await serve({ mark });
  const socket = await connected(subject.port);
  for (let time = 0; time < 2; time++) {
    socket.write(post({ path: "/mcp/execute", body: JSON.stringify({ tool: "mark" }) }));
    expect(await firstData(socket)).toContain('"nothing"');
  }
  expect(byNode).toBe(0);
});
