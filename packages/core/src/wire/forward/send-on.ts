import { Agent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import { BiplaneError } from "../../errors.ts";
import type { Upgrade } from "../../transport/websocket.ts";
import { sendError } from "../http-json.ts";
import { tokenOfPath } from "../path-token.ts";
import { forwardedHeader, hashOfBody, signForwarded } from "./forwarded.ts";

export interface SendOnOptions {
  /** The process that serves it. */
  readonly to: string;
  readonly address: string;
  readonly key: string;
  /** The address of the client. */
  readonly client: string;
  /** Whether that process still runs. */
  readonly isRunning: () => Promise<boolean>;
}

/** Sends a request on to another process, and its response back as it comes. */
export function sendOn(
  { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: string },
  options: SendOnOptions,
): void {
  const sent = open(request, body, options);
  sent.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHop(answer.rawHeaders));
    // An answer of known length is sent with its head. A stream may begin much later.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  sent.once("error", (error: NodeJS.ErrnoException) => {
    if (response.headersSent) return void response.destroy();
    const isUnsent = error.code === "ECONNREFUSED" || error.code === "EHOSTUNREACH";
    if (isUnsent) sendError(response, unreachable(), { headers: { "retry-after": "1" } });
    else sendError(response, broken());
  });
  response.once("close", () => sent.destroy());
  sent.end(body);
}

/** Connects a WebSocket to another process. */
export function sendSocketOn({ request, socket, head }: Upgrade, options: SendOnOptions): void {
  if (socket.destroyed) return;
  const sent = open(request, "", options);
  socket.once("close", () => sent.destroy());
  sent.on("upgrade", (answer, other, first) => {
    if (socket.destroyed) return void other.destroy();
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

function open(request: IncomingMessage, body: string, { to, address, key, client, isRunning }: SendOnOptions) {
  const { method = "GET", url = "/" } = request;
  const token = tokenOfPath(request);
  const forwarded = { to, address: client, bodyHash: hashOfBody(body), expires: Date.now() + validMs };
  const sent = openRequest(address, {
    method,
    path: token === undefined ? url : `/k/${token}${url}`,
    headers: [...headersFor(request, body), forwardedHeader, signForwarded(key, { method, url }, forwarded)],
  });
  endWithProcess(sent, isRunning);
  return sent;
}

function openRequest(address: string, options: Pick<RequestOptions, "method" | "path" | "headers">): ClientRequest {
  const { protocol, hostname, port } = new URL(address);
  const place = { ...options, hostname: hostname.replaceAll(/[[\]]/g, "") };
  return protocol === "https:"
    ? httpsRequest({ ...place, agent: secureAgent, port: port || 443 })
    : httpRequest({ ...place, agent, port: port || 80 });
}

/** A process that was given up never answers. */
function endWithProcess(sent: ClientRequest, isRunning: () => Promise<boolean>): void {
  const timer = setInterval(() => {
    isRunning().then(
      (runs) => runs || sent.destroy(new Error("The process has ended.")),
      () => undefined, // The store cannot be reached: nobody knows.
    );
  }, checkEveryMs).unref();
  sent.once("close", () => clearInterval(timer));
}

/** Names and values in turn, which Node.js sends as they are. */
function headersFor({ headers, rawHeaders }: IncomingMessage, body: string): string[] {
  const copied = withoutHop(rawHeaders, "content-length");
  return headers.upgrade?.toLowerCase() === "websocket"
    ? [...copied, "connection", "Upgrade", "upgrade", "websocket"]
    : [...copied, "content-length", String(Buffer.byteLength(body))];
}

/** Headers of one connection are not those of the next. */
function withoutHop(raw: readonly string[], alsoWithout?: string): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    const lower = name.toLowerCase();
    if (lower !== alsoWithout && !hopHeaders.has(lower)) kept.push(name, value);
  }
  return kept;
}

const hopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  forwardedHeader,
]);

function headerLines(raw: readonly string[]): string {
  let lines = "";
  for (let at = 0; at < raw.length; at += 2) lines += `${raw[at]}: ${raw[at + 1]}\r\n`;
  return lines;
}

function unreachable(): BiplaneError {
  return new BiplaneError("CAPACITY", "The server that has the episode cannot be reached. Try again.");
}

function broken(): BiplaneError {
  const message =
    "The connection to the server that has the episode broke. It is not known whether the request was served. If it has a key, send it again.";
  return new BiplaneError("CAPACITY", message);
}

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });
const validMs = 30_000;
const checkEveryMs = 2000;
