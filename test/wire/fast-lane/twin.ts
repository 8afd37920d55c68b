import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { server, tool } from "biplane";
import { z } from "zod";

/** Two equal servers: one with the fast lane, one whose requests are all read by `node:http`. */
export interface Twins extends AsyncDisposable {
  readonly lane: Twin;
  readonly node: Twin;
}

export interface Twin {
  readonly port: number;
  /** The input of each call that ran. */
  readonly ran: unknown[];
}

export async function openTwins(): Promise<Twins> {
  const [lane, node] = await Promise.all([openTwin(true), openTwin(false)]);
  const close = async () => {
    await Promise.all([lane.close(), node.close()]);
  };
  return { lane, node, [Symbol.asyncDispose]: close };
}

async function openTwin(fastLane: boolean): Promise<Twin & { close(): Promise<void> }> {
  const ran: unknown[] = [];
  const subject = server({
    name: "twin",
    tools: {
      echo: tool({
        input: z.object({ text: z.string() }),
        run: (input) => {
          ran.push(input);
          return input.text;
        },
      }),
    },
  });
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", fastLane, maxBodyBytes: 4096 });
  return { port: Number(new URL(url).port), ran, close: () => subject.close() };
}

/** Sends each part in a turn of its own, ends its side, and gives everything that came back, without the time. */
export async function converse(port: number, parts: readonly Buffer[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  for (const [at, part] of parts.entries()) {
    if (at > 0) for (let turn = 0; turn < 3; turn++) await nextTurn();
    if (socket.writable) socket.write(part);
  }
  socket.end();
  socket.once("end", () => socket.destroySoon());
  await closed;
  return (
    Buffer.concat(received)
      .toString("latin1")
      .replaceAll(/\r\nDate: [^\r]*/g, "")
      // A request that lost its id gets one of a series that both servers use.
      .replaceAll(/"request_id":"[\da-f]{8}-[\da-f]{4}-\w+"/g, '"request_id":""')
  );
}

/** Sends a text and gives everything that came back until the server closed the connection. */
export async function converseUntilClosed(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.write(text, "latin1");
  await once(socket, "close");
  return Buffer.concat(received).toString("latin1");
}

/** The responses in what a server sent, up to one that closes the connection: clients read no further. */
export function responsesIn(text: string): string[] {
  const all = text === "" ? [] : text.split(/(?=HTTP\/1\.1 )/);
  const last = all.findIndex((response) => response.includes(closing));
  return last < 0 ? all : all.slice(0, last + 1);
}

const closing = "\r\nConnection: close\r\n";
export const badRequest = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** What differs between the answers of both, or undefined. */
export function difference(lane: string, node: string): string | undefined {
  const [ours, theirs] = [responsesIn(lane), responsesIn(node)];
  if (ours.join() === theirs.join()) return undefined;
  // If bytes that are no request follow a request in the same packet, `node:http` refuses them before it has answered
  // the request. The fast lane answers first.
  const areClosed = [ours.at(-1), theirs.at(-1)].every((last) => last?.includes(closing));
  const isRefused = [...ours, ...theirs].includes(badRequest);
  const answered = theirs.filter((response) => response !== badRequest);
  const isPrefix = ours.every((each, at) => each === badRequest || answered[at] === undefined || each === answered[at]);
  if (areClosed && isRefused && isPrefix) return undefined;
  return `with the fast lane:\n${lane}\nwithout:\n${node}`;
}

export interface Post {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly length?: string;
}

/** The bytes of a POST. Its headers are sent as they are given. */
export function post({ path = "/mcp", headers = {}, body = call("hello"), length }: Post = {}): string {
  const all: Record<string, string> = {
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    "Content-Length": length ?? String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** A call of MCP without a session. */
export function call(text: string): string {
  const params = { name: "echo", arguments: { text } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

/** The same over REST. */
export function order(text: string): string {
  return JSON.stringify({ tool: "echo", arguments: { text }, agent: { agent_id: "a", request_id: "r" } });
}
