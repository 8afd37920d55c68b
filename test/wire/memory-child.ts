import { connect } from "node:net";
import { server, tool } from "biplane";

// Started with --expose-gc and two counts. Prints the heap, after collection, as work goes on: it must not grow.
const [calls = 0, sessions = 0] = process.argv.slice(2).map(Number);
const subject = server({
  name: "s",
  version: "1",
  limits: false,
  tools: { echo: tool({ input: { type: "object", properties: { n: { type: "number" } } }, run: ({ n }) => ({ n }) }) },
});
subject.watch({ onEnd: () => undefined });
const { url } = await subject.serve({ url: "http://127.0.0.1:0", sessionIdleMs: 200, maxSessions: 1_000_000 });
const port = Number(new URL(url).port);

const heaps: number[] = [];
await flood(calls / 10, callRequest);
for (let quarter = 0; quarter < 4; quarter++) {
  await flood(calls / 4, callRequest);
  heaps.push(await heap());
}

const hello = request({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "abandoner", version: "1" } },
});
await flood(sessions, () => hello);
const full = await heap();
await new Promise((resolve) => setTimeout(resolve, 1000)); // the sessions' time runs out
heaps.push(await heap());
await subject.close();
process.stdout.write(JSON.stringify({ heaps, full }));

function callRequest(n: number): string {
  return request({ jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "echo", arguments: { n } } });
}

function request(message: object): string {
  const body = JSON.stringify(message);
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Sends `count` requests over one connection, a batch at a time, and waits for every answer. */
async function flood(count: number, make: (n: number) => string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve, reject) => {
    const send = () => {
      let batch = "";
      for (let left = Math.min(64, count - sent); left > 0; left--) batch += make(sent++);
      socket.write(batch);
    };
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf("HTTP/1.1 200"); at >= 0; at = chunk.indexOf("HTTP/1.1 200", at + 1)) answered++;
      if (answered >= count) resolve();
      else if (answered === sent) send();
    });
    send();
  });
  socket.destroy();
}

async function heap(): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
