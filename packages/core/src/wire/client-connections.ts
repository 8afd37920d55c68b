import type { Socket } from "node:net";
import { callerOf, chargedTo } from "../call/caller-of.ts";
import { Shares } from "../call/shares.ts";
import type { Share } from "../call/shares.ts";
import type { Principal } from "../tool/call.ts";

/** Answers that clients have not read. */
export const unreadBytes = new Shares("bytes of unread answers", { perCaller: 64 * 2 ** 20, total: 512 * 2 ** 20 });

/**
 * The connections of a port: who uses each of them, and what its client has not read. A client that reads nothing for
 * long, or leaves too much unread, is disconnected.
 */
export class ClientConnections {
  readonly #connections = new Map<Socket, Connection>();
  readonly #times: ReadTimes;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(times: ReadTimes = { sweepMs: 1000, patienceMs: 60_000 }) {
    this.#times = times;
  }

  /** `waitingBytes` counts those of answers that wait for an earlier one. */
  add(socket: Socket, waitingBytes: () => number = () => 0): void {
    if (this.#connections.has(socket)) return; // Node reads it anew after an upgrade that was ignored.
    this.#connections.set(socket, { principal: undefined, unread: undefined, waitingBytes });
    this.#sweeper ??= setInterval(() => this.#sweep(), this.#times.sweepMs).unref();
    socket.once("close", () => this.#remove(socket));
  }

  /** Notes who made the last request of a connection. */
  use(socket: unknown, principal: Principal): void {
    const connection = this.#connections.get(socket as Socket);
    if (connection) connection.principal = principal;
  }

  /** The key of those who share their turns. */
  callerAt(socket: Socket): unknown {
    const principal = this.#connections.get(socket)?.principal;
    return principal ? callerOf(principal) : socket;
  }

  #remove(socket: Socket): void {
    this.#connections.get(socket)?.unread?.share.release();
    this.#connections.delete(socket);
    if (this.#connections.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      const length = socket.writableLength + connection.waitingBytes();
      if (length === 0) {
        connection.unread?.share.release();
        connection.unread = undefined;
        continue;
      }
      const queued = queuedBytes(socket);
      const before = connection.unread;
      const share = before?.share ?? unreadBytes.open(connection.principal && chargedTo(connection.principal));
      const hasRead = !before || length < before.length || queued < before.queued;
      connection.unread = { share, length, queued, since: hasRead ? now : before.since };
      if (share.resize(length) || now - connection.unread.since > this.#times.patienceMs) socket.destroy();
    }
  }
}

export interface ReadTimes {
  /** How often connections are looked at. */
  readonly sweepMs: number;
  /** How long a client may read nothing of its answers. */
  readonly patienceMs: number;
}

interface Connection {
  principal: Principal | undefined;
  readonly waitingBytes: () => number;
  /** What was unread at the last look, and since when its client has read nothing. */
  unread:
    | { readonly share: Share; readonly length: number; readonly queued: number; readonly since: number }
    | undefined;
}

/** What the system has not taken yet of the part that is being written. */
function queuedBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0;
}
