import { request } from "node:http";
import type { Agent, IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { patienceMs } from "./within.ts";

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One POST over a plain HTTP client, which lets odd headers through. */
export function exchange(
  port: number,
  body: Buffer | string,
  options: { path?: string; headers?: Record<string, string>; agent?: Agent; chunked?: boolean } = {},
): Promise<Answered> {
  const { path = "/mcp", headers = {}, agent, chunked = false } = options;
  const length = chunked ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const all = { "content-type": "application/json", ...length, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, method: "POST", headers: all, timeout: patienceMs, ...(agent && { agent }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
        response.on("error", reject);
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${patienceMs} ms`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A bare connection. */
export async function open(port: number, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", ...options });
  socket.on("error", () => undefined); // the server may well hang up on what these tests send
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

/** The first bytes that come over a connection. */
export function firstData(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    socket.once("close", () => reject(new Error("the connection was closed without a word")));
  });
}

export function upgradeRequest(path: string): string {
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
}
