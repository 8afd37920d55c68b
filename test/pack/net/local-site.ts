import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Handler = (request: Seen, response: ServerResponse) => unknown;

/** A request as it came, with its whole body. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A web server of this test on a loopback address; it remembers what it was asked and counts connections. */
export class LocalSite implements AsyncDisposable {
  readonly seen: Seen[] = [];
  connections = 0;
  handler: Handler;
  readonly #server;

  constructor(handler: Handler) {
    this.handler = handler;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("connection", () => this.connections++);
  }

  static async open(handler: Handler, host = "127.0.0.1"): Promise<LocalSite> {
    const site = new LocalSite(handler);
    await new Promise<void>((resolve, reject) => {
      site.#server.once("error", reject).listen(0, host, resolve);
    });
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    const { address, family } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.seen.push(seen);
    await this.handler(seen, response);
  }
}

export function json(
  response: ServerResponse,
  value: unknown,
  options: { status?: number; headers?: object } = {},
): void {
  response.writeHead(options.status ?? 200, { "content-type": "application/json; charset=utf-8", ...options.headers });
  response.end(JSON.stringify(value));
}
