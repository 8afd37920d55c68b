import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Principal } from "../tool/call.ts";
import { createGuard, isLoopback } from "../transport/guard.ts";
import { listenHttp, portOf, refuseUpgrade, sendJson } from "../transport/http.ts";
import type { WebSocketDoor } from "../transport/websocket.ts";
import { defaultMaxBytes } from "./limits.ts";
import { Wing } from "./wing.ts";
import type { Served } from "./wing.ts";

/** Opens one port with all doors of what is served behind it. */
export async function serveHttp(served: readonly Served[], url: string, options: ServeOptions): Promise<Listening> {
  const { protocol, hostname } = new URL(url);
  checkAddress(hostname, options);
  const house = new House(served, options);
  const http = await listenHttp(hostname.replaceAll(/[[\]]/g, ""), portIn(url), {
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

/** Everything behind one port: the first wing at the root, each of several also under its name. */
class House {
  readonly #wings: readonly Wing[];
  readonly #root: Wing;
  readonly #options: ServeOptions;
  readonly #strangers = new Strangers();
  readonly #sockets = new Map<number, Promise<WebSocketDoor>>();

  constructor(served: readonly Served[], options: ServeOptions) {
    this.#options = options;
    this.#wings = served.map((each) => new Wing(each, options));
    const [root] = this.#wings;
    if (!root) throw new BiplaneError("INVALID_DEFINITION", "there is nothing to serve");
    this.#root = root;
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    const [wing, path] = this.#find(pathOf(request));
    if (path === "/healthz" || path === "/readyz") return sendJson(response, 200, '{"status":"ok"}');
    const principal = this.#identify(request, wing, path);
    if (principal instanceof Promise) void principal.then((known) => this.#serve(request, response, wing, path, known));
    else this.#serve(request, response, wing, path, principal);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const [wing, path] = this.#find(pathOf(request));
    const query = new URLSearchParams(request.url?.split("?")[1] ?? "");
    void Promise.resolve(this.#identify(request, wing, path)).then(async (principal) => {
      if (!principal) return refuseUpgrade(socket, 401, "Credentials are missing or not valid");
      const open = wing?.socket(path, query, principal);
      if (!open) return refuseUpgrade(socket, 404, `Nothing listens at ${path}`);
      (await this.#door(path === "/ws")).accept(request, socket, head, open);
    });
  }

  async close(graceMs: number): Promise<void> {
    for (const wing of this.#wings) wing.endpoint.close();
    await Promise.all(this.#wings.map((wing) => wing.server.drain(graceMs)));
    for (const wing of this.#wings) wing.close();
    for (const door of this.#sockets.values()) (await door).close();
  }

  #find(path: string): [Wing | undefined, string] {
    if (!path.startsWith("/env/")) return [this.#root, path];
    const end = path.indexOf("/", 5);
    const name = path.slice(5, end < 0 ? undefined : end);
    return [this.#wings.find((wing) => wing.name === name), end < 0 ? "/" : path.slice(end)];
  }

  #serve(
    request: IncomingMessage,
    response: ServerResponse,
    wing: Wing | undefined,
    path: string,
    principal: Principal | undefined,
  ): void {
    if (!principal) {
      const body = JSON.stringify({ error: "UNAUTHORIZED", message: "Credentials are missing or not valid" });
      return sendJson(response, 401, body, { "www-authenticate": "Bearer" });
    }
    if (wing?.request(request, response, path, principal)) return;
    const message = `Nothing is served at ${pathOf(request)}; MCP is at /mcp`;
    sendJson(response, 404, JSON.stringify({ error: "NOT_FOUND", message }));
  }

  /** Who is it? At once, where nobody has to be asked. Where callers prove who they are, trainers' doors want a trainer. */
  #identify(
    request: IncomingMessage,
    wing: Wing | undefined,
    path: string,
  ): Principal | undefined | Promise<Principal | undefined> {
    const isTrainerPath = wing?.isTrainerPath(path) ?? false;
    const address = request.socket.remoteAddress ?? "";
    const { authenticate, openTrainerDoors } = this.#options;
    if (!authenticate || (isTrainerPath && openTrainerDoors)) return this.#strangers.at(address, isTrainerPath);
    return (async () => {
      try {
        const principal = await authenticate({ headers: request.headers, address });
        return !isTrainerPath || principal?.kind === "trainer" ? principal : undefined;
      } catch (error) {
        this.#root.server.report(error, "authenticate");
        return undefined;
      }
    })();
  }

  /** Trainers send large frames; everyone else is held to the limit of a body. */
  #door(isTrainerPath: boolean): Promise<WebSocketDoor> {
    const most = this.#options.maxBodyBytes ?? defaultMaxBytes;
    const maxMessageBytes = isTrainerPath ? Math.max(most, 16 * 1024 * 1024) : most;
    let door = this.#sockets.get(maxMessageBytes);
    if (!door) {
      door = import("../transport/websocket.ts").then(
        (loaded) => new loaded.WebSocketDoor({ maxMessageBytes, subprotocol: "mcp" }),
      );
      this.#sockets.set(maxMessageBytes, door);
    }
    return door;
  }
}

/** Those who prove nothing, by where they come from. */
class Strangers {
  readonly #known = new Map<string, Principal>();

  at(address: string, isTrainer: boolean): Principal {
    const key = isTrainer ? `trainer ${address}` : address;
    let principal = this.#known.get(key);
    if (!principal) {
      if (this.#known.size >= 1000) this.#known.clear();
      const kind = isTrainer ? "trainer" : "anonymous";
      principal = Object.freeze({ kind, id: address, scopes: Object.freeze([]) });
      this.#known.set(key, principal);
    }
    return principal;
  }
}

function checkAddress(host: string, { authenticate, openTrainerDoors }: ServeOptions): void {
  if (isLoopback(host) || authenticate || openTrainerDoors) return;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${host} can be reached from outside this machine: give serve() an authenticate function, listen on 127.0.0.1, or, for trainers on a network of their own, set openTrainerDoors`,
  );
}

/** `URL` leaves out a port that is its protocol's own, so it is read from the text; without one it is 8000. */
function portIn(url: string): number {
  return Number(/:(\d+)\/?$/.exec(url)?.[1] ?? 8000);
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
