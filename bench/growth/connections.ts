import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { Child } from "../mcp/child.ts";
import { Connection } from "../mcp/connection.ts";
import { median } from "../mcp/figures.ts";
import { legacyHeaders, post, requestBytes } from "../mcp/requests.ts";
import { openSession } from "../mcp/subject.ts";
import type { Growth } from "./growth.ts";

/** Sockets that made a call and are kept open: the memory of each, and a call beside them. */
export async function measureSockets(growth: Growth, sizes: readonly number[]): Promise<void> {
  await withServer(async (child, open) => {
    const subject = await beside(child, growth, "sockets");
    for (const size of sizes) {
      await fill(size, open, async () => {
        const connection = await Connection.open(child.port);
        await connection.ask(addition);
        return { close: () => connection.close() };
      });
      await subject.measure(size);
    }
  });
}

/** Event streams of sessions: the memory of each, a call beside them, and a change of which all are notified. */
export async function measureStreams(growth: Growth, sizes: readonly number[]): Promise<void> {
  await withServer(async (child, open) => {
    const subject = await beside(child, growth, "streams");
    const told = growth.figure("streams_notify_all", { unit: "µs CPU", bound: "linear" });
    const streams: EventReader[] = [];
    for (const size of sizes) {
      await fill(size, open, async () => {
        const reader = await EventReader.open(child.port);
        streams.push(reader);
        return reader;
      });
      await subject.measure(size);
      for (let round = 0; round < 5; round++) told.add(size, await subject.cpuOf(() => tellAll(child, streams)));
    }
  });
}

type Closable = { close(): void };

async function withServer(measure: (child: Child, open: Closable[]) => Promise<void>): Promise<void> {
  const child = await Child.start(join(import.meta.dirname, "server.mjs"), []);
  const open: Closable[] = [];
  try {
    await measure(child, open);
  } finally {
    for (const each of open) each.close();
    child.stop();
  }
}

/** Opens until there are `size`, some at once. */
async function fill(size: number, open: Closable[], make: () => Promise<Closable>): Promise<void> {
  while (open.length < size)
    open.push(...(await Promise.all(Array.from({ length: Math.min(50, size - open.length) }, make))));
}

/** Calls beside what is open. The first ones warm up. */
async function beside(child: Child, growth: Growth, name: string): Promise<Beside> {
  const memory = growth.figure(`${name}_memory`, { unit: "kB in all", bound: "linear" });
  const call = growth.figure(`${name}_call`, { unit: "µs CPU", bound: "constant" });
  const latency = growth.figure(`${name}_call_latency`, { unit: "µs" });
  const cpuOf = async (work: () => Promise<unknown>) => {
    const before = await child.cpuMicroseconds();
    await work();
    return (await child.cpuMicroseconds()) - before;
  };
  const connection = await Connection.open(child.port);
  await callMany(connection, 5000);
  const { rss: emptyBytes } = await child.memory();
  return {
    cpuOf,
    async measure(size) {
      const { rss } = await child.memory();
      memory.add(size, Math.max(1, rss - emptyBytes) / 1000);
      for (let round = 0; round < 5; round++) {
        let latencies: readonly number[] = [];
        const cpu = await cpuOf(async () => (latencies = await callMany(connection, 2000)));
        call.add(size, cpu / latencies.length);
        latency.add(size, median(latencies));
      }
    },
  };
}

interface Beside {
  cpuOf(work: () => Promise<unknown>): Promise<number>;
  measure(size: number): Promise<void>;
}

/** The latencies of calls, in microseconds. */
async function callMany(connection: Connection, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let at = 0; at < count; at++) {
    const before = performance.now();
    const { status } = await connection.ask(addition);
    if (status !== 200) throw new Error(`A call was answered with status ${status}.`);
    latencies.push((performance.now() - before) * 1000);
  }
  return latencies;
}

const addition = requestBytes({ era: "2026", workload: "call", slot: 0 });

/** Changes the list of tools, and waits until every stream has been told. */
async function tellAll(child: Child, streams: readonly EventReader[]): Promise<void> {
  const all = streams.map((stream) => stream.next());
  const connection = await Connection.open(child.port);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "change", arguments: {} } };
  const { status } = await connection.ask(post(call, {}));
  if (status !== 200) throw new Error(`The list was not changed: status ${status}.`);
  await Promise.all(all);
  connection.close();
}

/** The event stream of a session of its own. */
class EventReader {
  readonly #socket: Socket;
  #told: () => void = () => undefined;

  static async open(port: number): Promise<EventReader> {
    const headers = legacyHeaders(await openSession(port));
    const socket = connect({ port, host: "127.0.0.1" });
    const lines = Object.entries({ Host: "127.0.0.1", Accept: "text/event-stream", ...headers });
    socket.write(`GET /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("data", (bytes: Buffer) => {
        if (bytes.includes("HTTP/1.1 200")) resolve();
        else reject(new Error(`A stream was not opened: ${bytes.toString().slice(0, 200)}`));
      });
    });
    return new EventReader(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => bytes.includes("list_changed") && this.#told());
  }

  /** Resolves with the next change. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#told = resolve));
  }

  close(): void {
    this.#socket.destroy();
  }
}
