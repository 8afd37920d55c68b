import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import { createGuard, isLoopback } from "../transport/guard.ts";
import { listenHttp, portOf, refuseUpgrade, sendJson } from "../transport/http.ts";
import type { WebSocketDoor } from "../transport/websocket.ts";
import { capabilities, execute } from "./execute/execute.ts";
import { defaultMaxBytes } from "./limits.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { HttpDoor } from "./mcp/http.ts";
import { HttpSessions } from "./mcp/http-sessions.ts";

/** Opens one port with all doors of a server behind it. */
export async function serveHttp(server: Server, url: string, options: ServeOptions): Promise<Listening> {
  const { protocol, hostname, port } = new URL(url);
  checkAddress(hostname, options);
  const house = new House(server, options);
  const http = await listenHttp(hostname.replaceAll(/[[\]]/g, ""), port === "" ? 8000 : Number(port), {
    guard: createGuard({ host: hostname, ...options }),
    onRequest: (request, response) => house.request(request, response),
    onUpgrade: (request, socket, head) => house.upgrade(request, socket, head),
  });
  const closed = new Promise<void>((resolve) => http.once("close", resolve));
  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= (async () => {
      http.close();
      await house.close(options.graceMs ?? 10_000);
      http.closeIdleConnections();
      setTimeout(() => http.closeAllConnections(), 500).unref();
      await closed;
    })());
  return { url: `${protocol}//${hostname}:${portOf(http)}`, closed, close, [Symbol.asyncDispose]: close };
}

/** Everything behind one port. */
class House {
  readonly #server: Server;
  readonly #options: ServeOptions;
  readonly #endpoint: Endpoint;
  readonly #sessions: HttpSessions;
  readonly #mcp: HttpDoor;
  readonly #maxBodyBytes: number;
  #sockets: Promise<WebSocketDoor> | undefined;

  constructor(server: Server, options: ServeOptions) {
    this.#server = server;
    this.#options = options;
    this.#maxBodyBytes = options.maxBodyBytes ?? defaultMaxBytes;
    this.#endpoint = new Endpoint(server, options);
    this.#sessions = new HttpSessions(this.#endpoint, {
      idleMs: options.sessionIdleMs ?? 30 * 60_000,
      most: options.maxSessions ?? 10_000,
    });
    this.#mcp = new HttpDoor(this.#endpoint, this.#sessions, this.#maxBodyBytes);
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    this.#identify(
      request,
      (principal) => this.#route(request, response, principal),
      () => {
        const body = JSON.stringify({ error: "UNAUTHORIZED", message: "Credentials are missing or not valid" });
        sendJson(response, 401, body, { "www-authenticate": "Bearer" });
      },
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = pathOf(request);
    if (path !== "/mcp" && path !== "/mcp/" && path !== "/")
      return refuseUpgrade(socket, 404, `Nothing listens at ${path}`);
    this.#identify(
      request,
      (principal) => void this.#openSocket(request, socket, head, principal),
      () => refuseUpgrade(socket, 401, "Credentials are missing or not valid"),
    );
  }

  async close(graceMs: number): Promise<void> {
    this.#endpoint.close();
    await this.#server.drain(graceMs);
    this.#sessions.close();
    (await this.#sockets)?.close();
  }

  #route(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    const path = pathOf(request);
    switch (path) {
      case "/mcp":
      case "/mcp/":
        return this.#mcp.handle(request, response, principal);
      case "/mcp/execute":
        if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
        return execute(this.#server, request, response, { principal, maxBodyBytes: this.#maxBodyBytes });
      case "/mcp/capabilities":
        if (request.method !== "GET") return void response.writeHead(405, { allow: "GET" }).end();
        return capabilities(this.#server, response);
      case "/healthz":
        return sendJson(response, 200, '{"status":"ok"}');
      default:
        sendJson(
          response,
          404,
          JSON.stringify({ error: "NOT_FOUND", message: `Nothing is served at ${path}; MCP is at /mcp` }),
        );
    }
  }

  /** Who is it? At once, where nobody has to be asked. */
  #identify(request: IncomingMessage, known: (principal: Principal) => void, unknown: () => void): void {
    const address = request.socket.remoteAddress ?? "";
    const { authenticate } = this.#options;
    if (!authenticate) return known({ kind: "anonymous", id: address, scopes: none });
    Promise.resolve(authenticate({ headers: request.headers, address })).then(
      (principal) => (principal ? known(principal) : unknown()),
      (error: unknown) => {
        this.#server.report(error, "authenticate");
        unknown();
      },
    );
  }

  async #openSocket(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): Promise<void> {
    this.#sockets ??= import("../transport/websocket.ts").then(
      ({ WebSocketDoor }) => new WebSocketDoor({ maxMessageBytes: this.#maxBodyBytes, subprotocol: "mcp" }),
    );
    const door = await this.#sockets;
    door.accept(request, socket, head, (channel) => new ChannelConnection(this.#endpoint, principal, channel));
  }
}

const none: readonly string[] = Object.freeze([]);

function checkAddress(host: string, { authenticate }: ServeOptions): void {
  if (isLoopback(host) || authenticate) return;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${host} can be reached from outside this machine: give serve() an authenticate function, or listen on 127.0.0.1`,
  );
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
