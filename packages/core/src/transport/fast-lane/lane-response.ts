import { STATUS_CODES, validateHeaderValue } from "node:http";
import type { Socket } from "node:net";
import type { ResponseWriter } from "../http-message.ts";
import { httpDate } from "./http-date.ts";

/** The connection of a response. */
export interface ResponseOwner {
  readonly socket: Socket;
  /** The `Connection` and `Keep-Alive` headers of a connection that stays open. */
  readonly keepAlive: string;
  /** Called once everything was written. */
  onEnd(response: LaneResponse): void;
}

/** A response of the fast lane. It sends the same bytes as `ServerResponse`, a short one in a single write. */
export class LaneResponse implements ResponseWriter {
  shouldKeepAlive = true;
  headersSent = false;
  writableEnded = false;
  readonly #owner: ResponseOwner;
  #headers: Record<string, string> | undefined;
  /** The head, until it is sent. */
  #head = "";
  #isChunked = false;
  #isCorked = false;
  #isClosed = false;
  #onClose: (() => void)[] | undefined;

  constructor(owner: ResponseOwner) {
    this.#owner = owner;
  }

  get destroyed(): boolean {
    return this.#isClosed || this.#owner.socket.destroyed;
  }
  get writableLength(): number {
    return this.#owner.socket.writableLength;
  }
  get writableNeedDrain(): boolean {
    return !this.writableEnded && this.#owner.socket.writableNeedDrain;
  }

  setHeader(name: string, value: string): void {
    (this.#headers ??= {})[name] = value;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
    const all = this.#headers ? { ...this.#headers, ...headers } : headers;
    for (const name in all) {
      const value = all[name];
      if (typeof value === "string") validateHeaderValue(name, value);
      head += `${name}: ${value}\r\n`;
    }
    head += `Date: ${httpDate()}\r\n${this.shouldKeepAlive ? this.#owner.keepAlive : "Connection: close\r\n"}`;
    this.#isChunked = all["content-length"] === undefined;
    this.#head = this.#isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.#send("");
  }

  cork(): void {
    this.#isCorked = true;
    this.#owner.socket.cork();
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.writableEnded) return false;
    if (!this.headersSent) this.writeHead(200);
    return this.#isChunked ? this.#sendFrame(chunk) : this.#send(chunk);
  }

  end(chunk: string | Uint8Array = ""): void {
    if (this.writableEnded) return;
    if (!this.headersSent) this.writeHead(200);
    this.writableEnded = true;
    if (!this.#isChunked) this.#send(chunk);
    else if (chunk.length === 0) this.#send(lastFrame);
    else this.#sendFrame(chunk, lastFrame);
    if (this.#isCorked) this.#owner.socket.uncork();
    this.#owner.onEnd(this);
    this.close();
  }

  destroy(): void {
    this.#owner.socket.destroy();
  }

  once(_: "close", listener: () => void): void {
    (this.#onClose ??= []).push(listener);
  }

  /** Called when the connection closes. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const listener of this.#onClose ?? []) listener();
  }

  #sendFrame(chunk: string | Uint8Array, tail = ""): boolean {
    const size = `${Buffer.byteLength(chunk).toString(16)}\r\n`;
    if (typeof chunk === "string") return this.#send(`${size}${chunk}\r\n${tail}`);
    const { socket } = this.#owner;
    socket.cork();
    this.#send(size);
    this.#send(chunk);
    const isFlowing = this.#send(`\r\n${tail}`);
    socket.uncork();
    return isFlowing;
  }

  /** Sends a part of the body, with the head if that is not sent yet. A client that has hung up gets nothing. */
  #send(part: string | Uint8Array): boolean {
    const { socket } = this.#owner;
    if (!socket.writable) return false;
    const head = this.#head;
    this.#head = "";
    if (typeof part === "string") return head === "" && part === "" ? true : socket.write(head + part);
    if (head === "") return socket.write(part);
    socket.cork();
    socket.write(head);
    const isFlowing = socket.write(part);
    socket.uncork();
    return isFlowing;
  }
}

const lastFrame = "0\r\n\r\n";
