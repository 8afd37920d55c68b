import { once } from "node:events";
import { connect as connectSocket, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { server, tool } from "biplane";
import { contain } from "../../packages/core/src/bounds/contain.ts";
import { ClientConnections, unreadBytes } from "../../packages/core/src/wire/client-connections.ts";

const tools = { hello: tool({ run: () => "Hello" }) };
const deep = (id: string) => `{"jsonrpc":"2.0","id":${id},"params":${"[".repeat(200)}${"]".repeat(200)}}`;
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("a message that is too deep is refused, whatever stands in the place of its id", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  await once(socket, "open");
  for (const [id, shown] of [
    ["00", null],
    ["7", 7],
    ["012345", null],
    ['"a"', "a"],
    ["1e5", null],
    ["0x1", null],
  ]) {
    const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: deep(String(id)) });
    expect(await response.json()).toMatchObject({ id: shown, error: { code: -32600 } });
    socket.send(deep(String(id)));
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(data.toString())).toMatchObject({ id: shown, error: { code: -32600 } });
  }
  socket.terminate();
});

test("a fault in what one client sent disconnects that client only, and is reported without its data", async () => {
  const warned = once(process, "warning");
  let disconnected = 0;
  void contain(
    () => void disconnected++,
    () => {
      throw new TypeError("the client's secret");
    },
  );
  await contain(
    () => void disconnected++,
    () => Promise.reject(new Error("later")),
  );
  expect(disconnected).toBe(2);
  const [warning] = (await warned) as [Error & { detail?: string }];
  expect(warning).toMatchObject({ name: "BiplaneFault", message: expect.stringContaining("(TypeError)") as string });
  expect(`${warning.message}${warning.detail}`).not.toContain("secret");
  expect(warning.detail).toContain("unruly-clients");
});

test("of many pings in one packet the latest is answered, and other requests are served meanwhile", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  const pongs: string[] = [];
  socket.on("pong", (data: Buffer) => pongs.push(data.toString()));
  await once(socket, "open");
  const count = 2000;
  const all = new Promise<void>((resolve) =>
    socket.on("pong", (data: Buffer) => data.toString() === `p${count}` && resolve()),
  );
  const { _socket: raw } = socket as unknown as { _socket: Socket };
  raw.cork();
  for (let number = 1; number <= count; number++) socket.ping(`p${number}`);
  raw.uncork();
  await all;
  expect(pongs.length).toBeLessThan(count / 10);
  socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  const [data] = (await once(socket, "message")) as [Buffer];
  expect(JSON.parse(data.toString())).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  socket.terminate();
});

test("requests that come together are answered in order, and descriptions count against the rate", async () => {
  await using subject = server({ name: "subject", tools, limits: { perPrincipal: { perSecond: 0.001, burst: 3 } } });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { port } = new URL(url);
  const client = connectSocket(Number(port), "127.0.0.1");
  let text = "";
  client.on("data", (chunk) => (text += chunk.toString()));
  const get = "GET /mcp/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  const body = '{"tool":"hello","arguments":{}}';
  const post = `POST /mcp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  client.write(post + post + get + get + post + "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  await once(client, "close");
  expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status))).toEqual([
    200, 200, 200, 429, 429, 200,
  ]);
});

test("a client that does not read its answers is disconnected, and charged until then", async () => {
  let isFirst = true;
  const patient = new ClientConnections({ sweepMs: 5, patienceMs: 60_000 });
  const impatient = new ClientConnections({ sweepMs: 5, patienceMs: 50 });
  const port = createServer((socket) => {
    socket.on("error", () => undefined);
    const clients = isFirst ? patient : impatient;
    isFirst = false;
    clients.add(socket);
    clients.use(socket, { kind: "token", id: "mallory", scopes: [] });
    socket.write(Buffer.alloc(32 * 2 ** 20));
  }).listen(0, "127.0.0.1");
  await once(port, "listening");
  const open = () => connectSocket((port.address() as AddressInfo).port, "127.0.0.1");
  try {
    const reader = open().pause();
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBeGreaterThan(2 ** 20);
    reader.resume();
    await expect.poll(() => reader.bytesRead).toBe(32 * 2 ** 20);
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBe(0);
    const deaf = open().pause();
    await once(deaf, "connect");
    const closed = once(deaf, "close");
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBeGreaterThan(2 ** 20);
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBe(0);
    deaf.on("error", () => undefined).resume();
    await closed;
    expect(deaf.bytesRead).toBeLessThan(32 * 2 ** 20);
    reader.destroy();
    deaf.destroy();
  } finally {
    port.close();
  }
});
