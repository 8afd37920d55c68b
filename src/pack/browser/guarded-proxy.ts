import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BiplaneError, messageOf } from "../../errors.ts";
import { knownAddresses } from "../net/exchange.ts";
import type { Guard } from "../net/guard.ts";

export interface ProxyOptions {
  readonly guard: Guard;
  /** How much may come back over one connection. */
  readonly maxBytes: number;
}

/** What lets one caller's browser through the proxy, until it is taken back. */
export interface ProxyPass {
  readonly username: string;
  readonly password: string;
  /** Ends every connection made with it. */
  revoke(): void;
}

/**
 * The only way out of the browser: a proxy on this machine that looks each name up, asks the guard, and connects to the
 * address that was checked. Who has no pass gets nowhere, which also keeps the browser's own requests at home.
 */
export class GuardedProxy implements AsyncDisposable {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #passes = new Map<string, Pass>();

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

  admit(): ProxyPass {
    const username = randomBytes(8).toString("hex");
    const pass: Pass = { password: randomBytes(24).toString("hex"), streams: new Set(), isRevoked: false };
    this.#passes.set(username, pass);
    return {
      username,
      password: pass.password,
      revoke: () => {
        this.#passes.delete(username);
        end(pass);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pass of this.#passes.values()) end(pass);
    this.#passes.clear();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A plain request, which comes with its whole URL. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const pass = this.#passOf(request.headers);
    if (!pass) return void response.writeHead(407, askForPass).end();
    try {
      const { url: text = "" } = request;
      // Whoever asks for a path and no host takes the proxy for a site.
      if (!text.startsWith("http://")) throw new BiplaneError("INVALID_INPUT", "this is a proxy");
      const { url, hostname, port, addresses } = await this.#options.guard.check(text);
      const { pathname, search, host } = new URL(url);
      const onward = httpRequest({
        agent: false,
        host: hostname,
        port,
        method: request.method,
        path: pathname + search,
        headers: { ...endToEnd(request.headers), host },
        lookup: knownAddresses(addresses),
        timeout: silenceMs,
      });
      this.#join(pass, request.socket, onward);
      onward.on("timeout", () => onward.destroy());
      onward.on("error", () => refuse(response, 502, "The site could not be reached"));
      onward.on("response", (answer) => {
        limit(answer, this.#options.maxBytes);
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
        // An answer that was cut off must not look like a whole one.
        answer.on("error", () => response.destroy());
        answer.on("close", () => answer.complete || response.destroy());
        answer.pipe(response);
      });
      response.on("close", () => onward.destroy());
      request.on("error", () => onward.destroy()).pipe(onward);
    } catch (error) {
      refuse(response, 403, messageOf(error));
    }
  }

  /** A connection that the browser speaks TLS or WebSocket over. */
  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const pass = this.#passOf(request.headers);
    if (!pass) return void socket.end(head407);
    try {
      const { hostname, port, addresses } = await this.#options.guard.check(`https://${request.url ?? ""}`);
      const onward = connect({ host: hostname, port, lookup: knownAddresses(addresses) });
      this.#join(pass, socket, onward);
      onward.setTimeout(silenceMs, () => onward.destroy());
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

  #passOf({ "proxy-authorization": given = "" }: IncomingHttpHeaders): Pass | undefined {
    const [username = "", password = ""] = Buffer.from(given.replace(/^Basic /i, ""), "base64")
      .toString()
      .split(":");
    const pass = this.#passes.get(username);
    return pass && same(password, pass.password) ? pass : undefined;
  }

  #join(pass: Pass, ...streams: Destroyable[]): void {
    for (const stream of streams) {
      if (pass.streams.has(stream)) continue;
      pass.streams.add(stream);
      stream.on("close", () => pass.streams.delete(stream));
      if (pass.isRevoked) stream.destroy(); // while its name was looked up
    }
  }
}

interface Pass {
  readonly password: string;
  readonly streams: Set<Destroyable>;
  isRevoked: boolean;
}

interface Destroyable {
  destroy(): unknown;
  on(event: "close", listener: () => void): unknown;
}

const silenceMs = 120_000;
const askForPass = { "proxy-authenticate": 'Basic realm="biplane"', "content-length": "0" };
const head407 = `HTTP/1.1 407 Proxy Authentication Required\r\n${Object.entries(askForPass)
  .map((entry) => entry.join(": "))
  .join("\r\n")}\r\n\r\n`;

function end(pass: Pass): void {
  pass.isRevoked = true;
  for (const stream of pass.streams) stream.destroy();
}

/** Compared without telling, by the time it takes, where they differ. */
function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The headers that are not about the connection they came over. */
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

function refuse(response: ServerResponse, status: number, why: string): void {
  if (response.headersSent) return void response.destroy();
  // A page may show this, so it must be text and nothing else.
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(why);
}
