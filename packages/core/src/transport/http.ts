import { createServer } from "node:http";
import type { IncomingMessage, Server as NodeServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { contain } from "../bounds/contain.ts";
import { loopTurns } from "../bounds/loop-turns.ts";
import { BiplaneError } from "../errors.ts";
import { FastLane } from "./fast-lane/fast-lane.ts";
import type { LaneRouter } from "./fast-lane/fast-lane.ts";
import type { RequestGuard } from "./guard.ts";
import type { ResponseWriter } from "./http-message.ts";

export interface HttpListener {
  readonly guard: RequestGuard;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called with each new connection. `waitingBytes` counts those of answers behind one that is not finished. */
  onConnection?(socket: Socket, waitingBytes: () => number): void;
  /** The key of those who share their turns with the user of a connection (default: each connection has its own). */
  readonly callerAt?: (socket: Socket) => unknown;
  /** The requests that the fast lane may serve (default: none). */
  readonly fastRoute?: LaneRouter | undefined;
}

/** An open port. */
export interface HttpPort {
  readonly number: number;
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>;
  /** Accepts no more connections, and closes idle ones. */
  close(): void;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

export interface PortOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the port is that of this process alone. Processes that were started together can share others. */
  readonly isExclusive?: boolean;
}

/** Opens a port. Clients that are slow to send headers or body are disconnected. */
export async function listenHttp(
  listener: HttpListener,
  { host, port, isExclusive = false }: PortOptions,
): Promise<HttpPort> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 });
  const lane = openFastLane(server, listener);
  const callerAt = listener.callerAt ?? ((socket: Socket) => socket);
  const pipelines = new Pipelines(callerAt);
  const replayed = new WeakSet<Socket>();
  const toNode = lane?.toNode ?? ((socket: Duplex) => void server.emit("connection", socket));
  server.on("connection", (socket: Socket) => {
    listener.onConnection?.(socket, () => pipelines.waitingBytes(socket));
  });
  server.on("request", (request, response) => {
    const serve = () => {
      const refusal = listener.guard(request);
      if (refusal) sendJson(response, 403, JSON.stringify({ error: "FORBIDDEN", message: refusal }));
      else listener.onRequest(request, response);
    };
    pipelines.serve(request, response, () => void contain(() => response.destroy(), serve));
  });
  server.on("upgrade", (request, socket: Socket, head) => {
    if (!replayed.has(socket)) socket.on("error", () => socket.destroy());
    const serve = () => {
      const refusal = listener.guard(request);
      if (refusal) refuseUpgrade(socket, 403, new BiplaneError("FORBIDDEN", refusal));
      else listener.onUpgrade(request, socket, head);
    };
    if (request.headers.upgrade?.toLowerCase() === "websocket") void contain(() => socket.destroy(), serve);
    else if (!replayed.has(socket)) ignoreUpgrade(toNode, request, socket, head);
    // Clients that offer another protocol wait for each answer. Others would have each request copied.
    else if (head.length > Number(request.headers["content-length"] ?? 0)) socket.destroy();
    else loopTurns.add(callerAt(socket), () => socket.destroyed || ignoreUpgrade(toNode, request, socket, head));
    replayed.add(socket);
  });
  server.on("clientError", (_, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: isExclusive }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    number: (server.address() as AddressInfo).port,
    closed: new Promise((resolve) => server.once("close", resolve)),
    close: () => {
      server.close();
      lane?.closeIdleConnections();
    },
    closeIdleConnections: () => {
      server.closeIdleConnections();
      lane?.closeIdleConnections();
    },
    closeAllConnections: () => {
      server.closeAllConnections();
      lane?.closeAllConnections();
    },
  };
}

/**
 * Limits what a client sends ahead of the answers. `node:http` hands over all requests of a packet at once, and keeps
 * their answers in memory as long as an earlier one is not finished, such as a stream. So only some are served at once.
 * The others wait for the answer before and for a turn of their caller.
 */
class Pipelines {
  readonly #callerAt: (socket: Socket) => unknown;
  readonly #latest = new WeakMap<Socket, PipelinedRequest>();
  /** How many came in this turn of the event loop, of the connections that sent some ahead. */
  readonly #inTurn = new Map<Socket, number>();

  constructor(callerAt: (socket: Socket) => unknown) {
    this.#callerAt = callerAt;
  }

  serve({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const before = response.socket === null ? this.#latest.get(socket) : undefined;
    this.#latest.set(socket, { response, before: before?.response.closed ? undefined : before });
    if (!before) return serve();
    const position = Math.max(unfinished(before).length, this.#count(socket));
    if (position < maxAtOnce) return serve();
    if (position > maxEarlyRequests) return disconnect(socket);
    const serveInTurn = () => loopTurns.add(this.#callerAt(socket), () => socket.writable && serve());
    if (before.response.closed) serveInTurn();
    else before.response.once("close", serveInTurn);
  }

  #count(socket: Socket): number {
    if (this.#inTurn.size === 0) setImmediate(() => this.#inTurn.clear());
    const count = (this.#inTurn.get(socket) ?? 0) + 1;
    this.#inTurn.set(socket, count);
    return count;
  }

  /** Bytes of answers that wait until earlier ones of the same connection are finished. */
  waitingBytes(socket: Socket): number {
    return unfinished(this.#latest.get(socket)).reduce(
      (bytes, response) => bytes + (response.socket ? 0 : response.writableLength),
      0,
    );
  }
}

interface PipelinedRequest {
  readonly response: ServerResponse;
  /** The request before it, if that was not answered when it came. */
  before: PipelinedRequest | undefined;
}

/** The answers up to this one that are not sent yet. They are sent in order, so the first one that is sent ends the list. */
function unfinished(latest: PipelinedRequest | undefined): readonly ServerResponse[] {
  const responses: ServerResponse[] = [];
  for (let next = latest; next && !next.response.closed; next = next.before) {
    responses.push(next.response);
    if (next.before?.response.closed) next.before = undefined;
  }
  return responses;
}

/** Requests of a connection that are served at once. */
const maxAtOnce = 8;

export const maxEarlyRequests = 32;

/** Disconnects a client. Its parser takes 2 for the end of HTTP, and reads no further requests of the same packet. */
function disconnect(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

/** Other runtimes than Node may not let others read their connections. */
function openFastLane(server: NodeServer, { guard, fastRoute, callerAt }: HttpListener): FastLane | undefined {
  if (!fastRoute || server.listenerCount("connection") !== 1) return undefined;
  return new FastLane(
    server,
    (head) => (guard({ method: "POST", headers: head.headers }) ? undefined : fastRoute(head)),
    { ...(callerAt && { callerAt }) },
  );
}

/** Replays a request without its upgrade headers. Java's client offers HTTP/2, which a server may ignore. */
function ignoreUpgrade(toNode: (socket: Duplex) => void, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  let text = `${method} ${url} HTTP/1.1\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[at] ?? ""))
      text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
  toNode(socket);
}

/** Sends a JSON response in one write. */
export function sendJson(
  response: ResponseWriter,
  status: number,
  body: string,
  headers?: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) return;
  // A long text is encoded once; a short one faster together with the headers.
  const bytes = body.length > shortLength ? Buffer.from(body) : undefined;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes?.length ?? Buffer.byteLength(body),
    ...headers,
  });
  response.end(bytes ?? body);
}

const shortLength = 64 * 1024;

export function refuseUpgrade(socket: Duplex, status: number, { code, message }: BiplaneError): void {
  const body = JSON.stringify({ error: code, message });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
