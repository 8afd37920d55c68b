import { connect } from "node:net";
import type { Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly head: string;
  /** Empty unless `keep` is set. */
  readonly body: string;
}

/** A raw HTTP connection, one request at a time, with as little client CPU as possible. */
export class Connection {
  readonly #socket: Socket;
  #pending: Pending | undefined;
  #early: Buffer | undefined;

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Connection(socket)));
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("close", () => this.#pending?.fail(new Error("the server closed the connection before it answered")));
  }

  /** Sends a request and returns the response with its body. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => this.send(request, { keep: true, done: resolve, fail: reject }));
  }

  send(request: Buffer, then: Then): void {
    if (!this.isOpen) return then.fail(new Error("the server has closed the connection"));
    this.#pending = { ...then, head: undefined, length: undefined, size: 0, chunks: [] };
    this.#socket.write(request);
  }

  /** False once the server has closed it, for example because it was idle. */
  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const pending = this.#pending;
    if (!pending) return;
    const part = pending.head === undefined ? this.#readHead(pending, chunk) : chunk;
    if (!part) return;
    pending.size += part.length;
    if (pending.keep) pending.chunks.push(part);
    if (pending.length === undefined ? endsChunked(part) : pending.size >= pending.length) this.#finish(pending);
  }

  /** Reads the body once the head is complete. */
  #readHead(pending: Pending, chunk: Buffer): Buffer | undefined {
    const seen = this.#early ? Buffer.concat([this.#early, chunk]) : chunk;
    const end = seen.indexOf("\r\n\r\n");
    this.#early = end < 0 ? seen : undefined;
    if (end < 0) return undefined;
    pending.head = seen.toString("latin1", 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(pending.head)?.[1];
    pending.length = length === undefined ? undefined : Number(length);
    return seen.subarray(end + 4);
  }

  #finish(pending: Pending): void {
    this.#pending = undefined;
    const { head = "", chunks, done } = pending;
    done({ status: Number(head.slice(9, 12)), head, body: Buffer.concat(chunks).toString() });
  }
}

interface Then {
  readonly keep: boolean;
  readonly done: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

interface Pending extends Then {
  head: string | undefined;
  /** Undefined for a chunked body. */
  length: number | undefined;
  size: number;
  readonly chunks: Buffer[];
}

function endsChunked(part: Buffer): boolean {
  return part.length >= 5 && part.toString("latin1", part.length - 5) === "0\r\n\r\n";
}
