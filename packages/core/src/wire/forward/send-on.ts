import { Agent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { BiplaneError } from "../../errors.ts";
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
    response.flushHeaders();
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

/** A WebSocket that is about to be opened. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
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
  const { method = "GET" } = request;
  const token = tokenOfPath(request);
  const url = request.url ?? "/";
  const forwarded = { to, address: client, bodyHash: hashOfBody(body), expires: Date.now() + validMs };
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === "https:";
  const sent = (isSecure ? httpsRequest : httpRequest)({
    agent: isSecure ? secureAgent : agent,
    hostname: hostname.replaceAll(/[[\]]/g, ""),
    port: port === "" ? (isSecure ? 443 : 80) : port,
    method,
    path: token === undefined ? url : `/k/${token}${url}`,
    headers: {
      ...copiedHeaders(request.headers),
      ...(body !== "" && { "content-length": Buffer.byteLength(body) }),
      [forwardedHeader]: signForwarded(key, { method, url }, forwarded),
    },
  });
  endWithProcess(sent, isRunning);
  return sent;
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

/** Headers of one connection are not those of the next. The length is that of the body that is sent. */
function copiedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const isSocket = headers.upgrade?.toLowerCase() === "websocket";
  const copied = Object.entries(headers).filter(([name]) => !hopHeaders.has(name) && name !== "content-length");
  return {
    ...Object.fromEntries(copied),
    ...(isSocket && { connection: "Upgrade", upgrade: "websocket" }),
  };
}

function withoutHop(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !hopHeaders.has((raw[at - (at % 2)] as string).toLowerCase()));
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
