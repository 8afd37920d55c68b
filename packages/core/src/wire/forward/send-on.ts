import { Agent, request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { BiplaneError } from "../../errors.ts";
import { sendError } from "../http-json.ts";
import { tokenOfPath } from "../path-token.ts";
import { forwardedHeader, hashOfBody, signForwarded } from "./forwarded.ts";

export interface SendOnOptions {
  /** Of the process that serves it. */
  readonly address: string;
  readonly key: string;
  /** The address of the client. */
  readonly client: string;
}

/** Sends a request on to another process, and its response back as it comes. */
export function sendOn(
  { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: string },
  options: SendOnOptions,
): void {
  const sent = open(request, body, options);
  sent.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    response.flushHeaders();
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  sent.once("error", () => {
    if (response.headersSent) return void response.destroy();
    sendError(response, unreachable(), { headers: { "retry-after": "1" } });
  });
  response.once("close", () => sent.destroy());
  sent.end(body);
}

/** A WebSocket that is about to be opened. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Connects a WebSocket to another process. */
export function sendSocketOn({ request, socket, head }: Upgrade, options: SendOnOptions): void {
  const sent = open(request, "", options);
  sent.on("upgrade", (answer, other, first) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(answer.rawHeaders)}\r\n`);
    if (first.length > 0) socket.write(first);
    if (head.length > 0) other.write(head);
    other.pipe(socket);
    socket.pipe(other);
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      from.once("error", () => to.destroy());
      from.once("close", () => to.destroy());
    }
  });
  sent.on("response", () => socket.destroy());
  sent.once("error", () => socket.destroy());
  sent.end();
}

function open(request: IncomingMessage, body: string, { address, key, client }: SendOnOptions) {
  const { method = "GET", headers } = request;
  const token = tokenOfPath(request);
  const url = request.url ?? "/";
  const forwarded = { address: client, bodyHash: hashOfBody(body), expires: Date.now() + validMs };
  const { hostname, port } = new URL(address);
  return httpRequest({
    agent,
    hostname,
    port,
    method,
    path: token === undefined ? url : `/k/${token}${url}`,
    headers: {
      ...headers,
      ...(method === "POST" && { "content-length": Buffer.byteLength(body) }),
      [forwardedHeader]: signForwarded(key, { method, url }, forwarded),
    },
  });
}

function headerLines(raw: readonly string[]): string {
  let lines = "";
  for (let at = 0; at < raw.length; at += 2) lines += `${raw[at]}: ${raw[at + 1]}\r\n`;
  return lines;
}

function unreachable(): BiplaneError {
  return new BiplaneError("CAPACITY", "The server that has the episode cannot be reached. Try again.");
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const validMs = 30_000;
