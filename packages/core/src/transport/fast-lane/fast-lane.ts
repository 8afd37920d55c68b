import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { LaneConnection } from "./lane-connection.ts";
import type { LaneHandler, LaneOwner, LaneTimes } from "./lane-connection.ts";
import type { RequestHead } from "./request-head.ts";

/** Finds the handler of a request by its head; undefined if `node:http` must serve it. */
export type LaneRouter = (head: RequestHead) => LaneHandler | undefined;

export interface LaneOptions extends Partial<LaneTimes>, Partial<Pick<LaneOwner, "callerAt">> {
  readonly sweepMs?: number;
}

/**
 * Reads the requests of new connections before `node:http` does. Plain POSTs to known paths are answered here, at less
 * than half the cost. With any other request, the connection and its unread bytes go to `node:http`.
 */
export class FastLane implements LaneOwner {
  readonly keepAlive: string;
  readonly route: LaneRouter;
  readonly callerAt: LaneOwner["callerAt"];
  readonly toNode: (socket: Duplex) => void;
  readonly times: LaneTimes;
  now = performance.now();
  readonly #server: Server;
  readonly #connections = new Set<LaneConnection>();
  readonly #sweeper: NodeJS.Timeout;
  #reserved = 0;

  constructor(server: Server, route: LaneRouter, options: LaneOptions = {}) {
    const { sweepMs = 1000, callerAt = (socket) => socket, ...times } = options;
    this.#server = server;
    this.route = route;
    this.callerAt = callerAt;
    // Node adds a second to the keep-alive time too, so that clients close first.
    this.times = { partMs: 1000, silentMs: 5000, idleMs: server.keepAliveTimeout + 1000, ...times };
    this.keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}\r\n`;
    const takers = server.listeners("connection");
    this.toNode = (socket) => {
      for (const take of takers) take.call(server, socket);
    };
    server.removeAllListeners("connection");
    server.on("connection", (socket) => this.#connections.add(new LaneConnection(socket, this)));
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs).unref();
    server.once("close", () => clearInterval(this.#sweeper));
  }

  reserve(bytes: number): boolean {
    if (bytes > 0 && this.#reserved + bytes > maxReservedBytes) return false;
    this.#reserved += bytes;
    return true;
  }

  remove(connection: LaneConnection): void {
    this.#connections.delete(connection);
  }

  clientError(socket: Duplex): void {
    this.#server.emit("clientError", new Error("The connection ended in the middle of a request."), socket);
  }

  closeIdleConnections(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.socket.destroy();
  }

  closeAllConnections(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #sweep(): void {
    this.now = performance.now();
    for (const connection of this.#connections) connection.checkTime();
  }
}

/** What all connections together may hold of requests that have begun to arrive. */
export const maxReservedBytes = 16 * 1024 * 1024;
