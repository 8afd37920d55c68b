import { AsyncResource } from "node:async_hooks";
import type { Socket } from "node:net";
import { reportFault } from "../../bounds/contain.ts";
import { loopTurns } from "../../bounds/loop-turns.ts";
import { WholeRequest } from "../http-message.ts";
import { LaneResponse } from "./lane-response.ts";
import type { ResponseOwner } from "./lane-response.ts";
import { maxHeadBytes, readHead } from "./request-head.ts";
import type { RequestHead } from "./request-head.ts";

/** Serves a request of the fast lane. */
export type LaneHandler = (request: WholeRequest, response: LaneResponse) => void;

/** In milliseconds. They are checked once a second. */
export interface LaneTimes {
  /** How long the rest of a request may take to arrive before `node:http` waits for it. */
  readonly partMs: number;
  /** How long a new client may send nothing before `node:http` waits for it. */
  readonly silentMs: number;
  /** How long a connection is kept between two requests. */
  readonly idleMs: number;
}

/** What a connection needs of its lane. */
export interface LaneOwner {
  readonly keepAlive: string;
  readonly times: LaneTimes;
  /** The time of the last sweep, in milliseconds. Reading a clock for each request would cost more. */
  readonly now: number;
  /** The handler of requests with this head; undefined if `node:http` must serve them. */
  route(head: RequestHead): LaneHandler | undefined;
  /** The key of those who share their turns with the user of a connection. */
  readonly callerAt: (socket: Socket) => unknown;
  /** Reserves memory for bytes that wait for the rest of their request; false if too many wait. */
  reserve(bytes: number): boolean;
  /** Forgets a connection that has closed or was handed over. */
  remove(connection: LaneConnection): void;
  /** Gives a connection to `node:http`. */
  toNode(socket: Socket): void;
  /** Reports that a connection ended in the middle of a request. */
  clientError(socket: Socket): void;
}

/**
 * A connection whose requests are served one after another. The first request that is not for the fast lane, or that
 * arrives too slowly, is put back, and `node:http` takes the connection from there.
 */
export class LaneConnection implements ResponseOwner {
  readonly socket: Socket;
  readonly keepAlive: string;
  readonly #lane: LaneOwner;
  /** The last head and its handler. Most clients send the same head again. */
  #known: KnownHead | undefined;
  /** The first part of a request. */
  #part: Buffer | undefined;
  #parts = 0;
  /** Bytes that arrived while a response was written. */
  #later: Buffer[] = [];
  #laterBytes = 0;
  #awaitsTurn = false;
  #response: LaneResponse | undefined;
  #hasServed = false;
  /** True if its client has ended its side while requests wait for a turn. */
  #isHalfClosed = false;
  /** When it began to wait for bytes. */
  #since: number;

  constructor(socket: Socket, lane: LaneOwner) {
    this.socket = socket;
    this.keepAlive = lane.keepAlive;
    this.#lane = lane;
    this.#since = lane.now;
    socket.on("data", this.#onData);
    socket.on("end", this.#onHalfClose);
    socket.on("error", ignore);
    socket.on("close", this.#onClose);
  }

  /** True between two requests. */
  get isIdle(): boolean {
    return this.#hasServed && !this.#response && !this.#part;
  }

  /** Closes a connection that is idle for long, and hands a slow one over, whose time `node:http` limits. */
  checkTime(): void {
    if (this.#response || this.#laterBytes > 0 || this.socket.readableEnded) return;
    const waitedMs = this.#lane.now - this.#since;
    const { partMs, silentMs, idleMs } = this.#lane.times;
    if (this.isIdle) {
      if (waitedMs > idleMs && this.socket.writableLength === 0) this.socket.destroy();
    } else if (waitedMs > (this.#part ? partMs : silentMs)) this.#handOver(this.#part);
  }

  onEnd(response: LaneResponse): void {
    this.#response = undefined;
    this.#hasServed = true;
    this.#since = this.#lane.now;
    if (!response.shouldKeepAlive) this.socket.destroySoon();
    else if (this.#laterBytes > 0) this.#continue();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isBusy) return this.#postpone(chunk);
    if (!this.#part) return this.#read(chunk);
    const whole = Buffer.concat([this.#part, chunk]);
    this.#forgetPart();
    this.#read(whole);
  };

  get #isBusy(): boolean {
    return this.#response !== undefined || this.#laterBytes > 0 || this.socket.writableNeedDrain;
  }

  /** Serves some requests, as long as each is answered at once. The others wait for a turn of their caller. */
  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let count = 0; this.socket.writable; count++) {
      if (this.#isBusy) return this.#postpone(rest);
      if (count === maxAtOnce) {
        this.#postpone(rest);
        return this.#continue();
      }
      const known = this.#headOf(rest);
      if (known === undefined) return this.#handOver(rest);
      if (known === "incomplete") return this.#keepPart(rest, maxHeadBytes);
      const end = known.head.length + known.head.contentLength;
      if (rest.length < end) return this.#keepPart(rest, end);
      this.#serve(known, rest.subarray(known.head.length, end));
      if (rest.length === end) return;
      rest = rest.subarray(end);
    }
  }

  #serve({ head, handler }: KnownHead, body: Buffer): void {
    const response = new LaneResponse(this);
    this.#response = response;
    this.#parts = 0;
    const request = new WholeRequest(head, this.socket, body);
    // A context of its own, as `node:http` has for each request, so that `AsyncLocalStorage` leaks nothing to the next.
    try {
      new AsyncResource("BIPLANE_REQUEST", scopeOptions).runInAsyncScope(handler, undefined, request, response);
    } catch (fault) {
      reportFault(fault);
      this.socket.destroy();
    }
  }

  #headOf(bytes: Buffer): KnownHead | "incomplete" | undefined {
    const last = this.#known;
    if (last && bytes.length >= last.bytes.length && last.bytes.compare(bytes, 0, last.bytes.length) === 0) return last;
    const head = readHead(bytes);
    if (head === undefined || head === "incomplete") return head;
    const handler = this.#lane.route(head);
    if (!handler) return undefined;
    // A copy, because a view would keep the whole chunk in memory.
    return (this.#known = { head, handler, bytes: Buffer.from(bytes.subarray(0, head.length)) });
  }

  /** Waits for the rest of a request of `size` bytes for a moment. */
  #keepPart(bytes: Buffer, size: number): void {
    const isLarge = size > maxPartBytes || ++this.#parts > maxParts;
    if (isLarge || !this.#lane.reserve(bytes.length)) return this.#handOver(bytes);
    this.#part = bytes;
    this.#since = this.#lane.now;
  }

  #forgetPart(): void {
    if (this.#part) this.#lane.reserve(-this.#part.length);
    this.#part = undefined;
  }

  /** Keeps bytes until the requests before them are answered and the answers are read. */
  #postpone(chunk: Buffer): void {
    if (this.socket.writableNeedDrain && this.#laterBytes === 0) this.socket.once("drain", this.#onDrain);
    this.#later.push(chunk);
    this.#laterBytes += chunk.length;
    if (this.#laterBytes > maxLaterBytes) this.socket.pause();
  }

  readonly #onDrain = (): void => {
    if (!this.#response && this.#laterBytes > 0) this.#continue();
  };

  /** Serves what was sent ahead in turns of its caller: thousands of requests can come in one chunk. */
  #continue(): void {
    if (this.#awaitsTurn) return;
    if (this.socket.writableNeedDrain) return void this.socket.once("drain", this.#onDrain);
    this.#awaitsTurn = true;
    loopTurns.add(this.#lane.callerAt(this.socket), () => {
      this.#awaitsTurn = false;
      const bytes = this.#later.length === 1 ? (this.#later[0] as Buffer) : Buffer.concat(this.#later);
      this.#later = [];
      this.#laterBytes = 0;
      if (this.socket.destroyed) return;
      this.socket.resume();
      this.#read(bytes);
      if (this.#isHalfClosed) this.#onHalfClose();
    });
  }

  #handOver(bytes: Buffer | undefined): void {
    this.#leave();
    const { socket } = this;
    // Paused, so that the bytes that are put back reach the next reader before new ones.
    socket.pause();
    if (bytes) socket.unshift(bytes);
    this.#lane.toNode(socket);
    socket.resume();
  }

  #leave(): void {
    this.#forgetPart();
    this.#lane.remove(this);
    this.socket.off("data", this.#onData);
    this.socket.off("end", this.#onHalfClose);
    this.socket.off("error", ignore);
    this.socket.off("close", this.#onClose);
    this.socket.off("drain", this.#onDrain);
  }

  /** Like `node:http`, begins to answer what has come, and nothing more, if its client has ended its side. */
  readonly #onHalfClose = (): void => {
    this.#isHalfClosed = this.#awaitsTurn;
    if (this.#awaitsTurn) return;
    if (this.#part) this.#lane.clientError(this.socket);
    else this.socket.end();
    this.#forgetPart();
  };

  readonly #onClose = (): void => {
    this.#forgetPart();
    this.#lane.remove(this);
    this.#response?.close();
  };
}

interface KnownHead {
  readonly head: RequestHead;
  readonly bytes: Buffer;
  readonly handler: LaneHandler;
}

/** A stream that fails closes by itself. */
function ignore(): void {}

/** Nothing waits for the end of a request. */
const scopeOptions = { requireManualDestroy: true };

/** Larger requests, and requests in more pieces, are left to `node:http`. */
const maxPartBytes = 64 * 1024;
const maxParts = 16;

/** Requests that are served in one turn. */
const maxAtOnce = 8;

/** A client that sends more than this ahead of its answers is not read until it has read them. */
const maxLaterBytes = 64 * 1024;
