import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** A request of `node:http`, or one of the fast lane, which has its whole body. */
export type HttpMessage = IncomingMessage | WholeRequest;

/** A POST that has arrived with its whole body. */
export class WholeRequest {
  readonly method = "POST";
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, "remoteAddress">;
  readonly body: Buffer;

  constructor(head: Pick<WholeRequest, "url" | "headers">, socket: Pick<Socket, "remoteAddress">, body: Buffer) {
    this.url = head.url;
    this.headers = head.headers;
    this.socket = socket;
    this.body = body;
  }

  /** Skips the body, which has arrived. */
  resume(): void {}
}

/** The members of `ServerResponse` that endpoints of servers use. The fast lane has a smaller implementation. */
export interface ResponseWriter {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  /** Set to false before `writeHead` to close the connection after the response. */
  shouldKeepAlive: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): ResponseWriter;
  flushHeaders(): void;
  /** Delays what is written until `end`, so that it is sent together. */
  cork(): void;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}
