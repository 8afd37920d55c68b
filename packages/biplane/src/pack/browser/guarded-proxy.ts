import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { fixedLookup } from "../shared/net/send-request.ts";
import type { NetworkGuard } from "../shared/net/network-guard.ts";

export interface ProxyOptions {
  readonly guard: NetworkGuard;
  /** Maximum bytes received over one connection. */
  readonly maxBytes: number;
}

/** Proxy credentials of one caller's browser. */
export interface ProxyCredentials {
  readonly username: string;
  readonly password: string;
  /** Closes every connection that uses them. */
  revoke(): void;
}

/**
 * A local proxy for all traffic of the browser. It resolves each name, asks the network guard, and connects to the
 * checked address. Requests without credentials are rejected, including the browser's own background requests.
 */
export class GuardedProxy implements AsyncDisposable {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #issued = new Map<string, IssuedCredentials>();

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#forward(request, response));
    this.#server.on("connect", (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#server.maxConnections = 512;
  }

  static async open(options: ProxyOptions): Promise<GuardedProxy> {
    const proxy = new GuardedProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  issueCredentials(): ProxyCredentials {
    const username = randomBytes(8).toString("hex");
    const credentials: IssuedCredentials = {
      password: randomBytes(24).toString("hex"),
      streams: new Set(),
      isRevoked: false,
    };
    this.#issued.set(username, credentials);
    return {
      username,
      password: credentials.password,
      revoke: () => {
        this.#issued.delete(username);
        end(credentials);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const credentials of this.#issued.values()) end(credentials);
    this.#issued.clear();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Forwards a plain HTTP request, which carries its full URL. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const credentials = this.#credentialsOf(request.headers);
    if (!credentials) return void response.writeHead(407, authenticateHeaders).end();
    try {
      const { url: text = "" } = request;
      // A request for a path without a host treats the proxy as a website.
      if (!text.startsWith("http://")) throw new BiplaneError("INVALID_INPUT", "This is a proxy.");
      const { url, hostname, port, addresses } = await this.#options.guard.check(text);
      const { pathname, search, host } = new URL(url);
      const onward = httpRequest({
        agent: false,
        host: hostname,
        port,
        method: request.method,
        path: pathname + search,
        headers: { ...endToEnd(request.headers), host },
        lookup: fixedLookup(addresses),
        timeout: idleTimeoutMs,
      });
      this.#join(credentials, request.socket, onward);
      onward.on("timeout", () => onward.destroy());
      onward.on("error", () => sendError(response, 502, "The site could not be reached."));
      onward.on("response", (answer) => {
        limit(answer, this.#options.maxBytes);
        try {
          response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        } catch {
          answer.destroy(); // a status or a header that no server may send
          return sendError(response, 502, "The site sent an invalid answer.");
        }
        // A truncated response must not look complete.
        answer.on("error", () => response.destroy());
        answer.on("close", () => answer.complete || response.destroy());
        answer.pipe(response);
      });
      response.on("close", () => onward.destroy());
      request.on("error", () => onward.destroy()).pipe(onward);
    } catch (error) {
      sendError(response, 403, messageOf(error));
    }
  }

  /** Opens a CONNECT tunnel, for TLS and WebSocket. */
  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const credentials = this.#credentialsOf(request.headers);
    if (!credentials) return void socket.end(response407);
    try {
      const { hostname, port, addresses } = await this.#options.guard.check(`https://${request.url ?? ""}`);
      const onward = connect({ host: hostname, port, lookup: fixedLookup(addresses) });
      this.#join(credentials, socket, onward);
      onward.setTimeout(idleTimeoutMs, () => onward.destroy());
      onward.on("error", () => socket.destroy());
      limit(onward, this.#options.maxBytes);
      onward.once("connect", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      socket.on("close", () => onward.destroy());
      onward.on("close", () => socket.destroy());
    } catch {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    }
  }

  #credentialsOf({ "proxy-authorization": given = "" }: IncomingHttpHeaders): IssuedCredentials | undefined {
    const [username = "", password = ""] = Buffer.from(given.replace(/^Basic /i, ""), "base64")
      .toString()
      .split(":");
    const credentials = this.#issued.get(username);
    return credentials && same(password, credentials.password) ? credentials : undefined;
  }

  #join(credentials: IssuedCredentials, ...streams: Destroyable[]): void {
    for (const stream of streams) {
      if (credentials.streams.has(stream)) continue;
      credentials.streams.add(stream);
      stream.on("close", () => credentials.streams.delete(stream));
      if (credentials.isRevoked) stream.destroy(); // revoked while the name was being resolved
    }
  }
}

interface IssuedCredentials {
  readonly password: string;
  readonly streams: Set<Destroyable>;
  isRevoked: boolean;
}

interface Destroyable {
  destroy(): unknown;
  on(event: "close", listener: () => void): unknown;
}

const idleTimeoutMs = 120_000;
const authenticateHeaders = { "proxy-authenticate": 'Basic realm="biplane"', "content-length": "0" };
const response407 = `HTTP/1.1 407 Proxy Authentication Required\r\n${Object.entries(authenticateHeaders)
  .map((entry) => entry.join(": "))
  .join("\r\n")}\r\n\r\n`;

function end(credentials: IssuedCredentials): void {
  credentials.isRevoked = true;
  for (const stream of credentials.streams) stream.destroy();
}

/** Compares in constant time. */
function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Removes hop-by-hop headers. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.test(name) && !named.includes(name));
  return Object.fromEntries(kept);
}

const hopByHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

function limit(stream: IncomingMessage | Socket, maxBytes: number): void {
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) stream.destroy();
  });
}

function sendError(response: ServerResponse, status: number, why: string): void {
  if (response.headersSent) return void response.destroy();
  // A page may display this message, so it must be plain text.
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(why);
}
