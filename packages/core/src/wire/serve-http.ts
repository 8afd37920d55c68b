import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { contain } from "../bounds/contain.ts";
import { loopTurns } from "../bounds/loop-turns.ts";
import { callerOf, chargedTo } from "../call/caller-of.ts";
import { CombinedRedactor } from "../call/redact/combined.ts";
import { BiplaneError } from "../errors.ts";
import type { SandboxRoutes } from "../server/endpoints.ts";
import type { NetworkRequest } from "../server/authenticate.ts";
import type { Connections } from "../server/connections.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import { closingError } from "../server/running-calls.ts";
import type { Principal } from "../tool/call.ts";
import { isLoopback } from "../transport/guard.ts";
import type { LaneRouter } from "../transport/fast-lane/fast-lane.ts";
import { listenHttp, refuseUpgrade } from "../transport/http.ts";
import type { Upgrade } from "../transport/websocket.ts";
import type { HttpListener, HttpPort } from "../transport/http.ts";
import type { HttpMessage } from "../transport/http-message.ts";
import type { WebSocketListener } from "../transport/websocket.ts";
import { openSockets } from "./open-sockets.ts";
import { addressReader } from "./caller-address.ts";
import { ClientConnections, unreadBytes } from "./client-connections.ts";
import { Authenticator, AuthenticationError } from "./authenticator.ts";
import type { Audience } from "./authenticator.ts";
import { defaultMaxBytes } from "../bounds/message-bytes.ts";
import { forwardedRequests } from "./forward/episode-gate.ts";
import { readForwarded } from "./forward/forwarded.ts";
import { isJsonType, sendError, statusOf } from "./http-json.ts";
import { connectionsOf } from "./mcp/connections.ts";
import { eventBytes } from "./mcp/event-log.ts";
import { followedStreams } from "./mcp/shared-events.ts";
import { subscriptionBytes } from "./mcp/subscriptions.ts";
import { apiKeyIn, takeToken, withoutToken } from "./path-token.ts";
import { admitBodies, arrivingBytes } from "./request-body.ts";
import { PublicPaths, sendNothingServed } from "./public-paths.ts";
import { checkListenAddress } from "./check-served.ts";
import { guardFor } from "./port-guard.ts";
import { withoutQuery } from "./without-query.ts";
import { ServerRoutes } from "./server-routes.ts";
import type { Served } from "../environment/served.ts";

/** Listens on one port and serves every endpoint of the given servers. */
export async function serveHttp(served: readonly Served[], url: string, options: ServeOptions): Promise<Listening> {
  const { protocol, hostname } = new URL(url);
  checkListenAddress(served, hostname, options);
  const server = new HttpServer(served, options, isLoopback(hostname));
  const host = hostname.replaceAll(/[[\]]/g, "");
  const listener: HttpListener = {
    guard: guardFor(hostname, options),
    onRequest: (request, response) => server.request(request, response),
    onUpgrade: (request, socket, head) => server.upgrade(request, socket, head),
    onConnection: (socket, waitingBytes) => server.clients.add(socket, waitingBytes),
    callerAt: (socket) => server.clients.callerAt(socket),
    fastRoute: options.fastLane === false ? undefined : server.fastRoute,
  };
  const http = await listenHttp(listener, { host, port: portIn(url) });
  const own = options.ownPort
    ? await listenHttp(server.onlyForwarded(listener), { host, port: 0, isExclusive: true })
    : undefined;
  const ports = own ? [http, own] : [http];
  const closed = Promise.all(ports.map((port) => port.closed)).then(() => undefined);
  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= (async () => {
      for (const port of ports) port.close();
      await server.close(options.graceMs ?? 10_000);
      for (const port of ports) port.closeIdleConnections();
      setTimeout(() => ports.forEach((port) => port.closeAllConnections()), 500).unref();
      await closed;
    })());
  const urlOf = ({ number }: HttpPort) => `${protocol}//${hostname}:${number}`;
  const { connections } = server;
  return {
    url: urlOf(http),
    ...(own && { ownUrl: urlOf(own) }),
    closed,
    close,
    connections,
    [Symbol.asyncDispose]: close,
  };
}

/** Observations with images are large. */
export const trainerFrameBytes = 16 * 1024 * 1024;

/** Everything behind one port: the first server at the root, each also under `/env/<name>`. */
class HttpServer {
  readonly #all: readonly ServerRoutes[];
  readonly #root: ServerRoutes;
  readonly #options: ServeOptions;
  readonly #authenticator: Authenticator;
  readonly #publicPaths: PublicPaths;
  readonly #addressOf: (request: HttpMessage) => string;
  readonly #sockets = new Map<number, Promise<WebSocketListener>>();
  readonly #stopGauges: readonly (() => void)[];
  readonly clients = new ClientConnections();
  readonly #redactors = new CombinedRedactor();
  /** While it closes, each connection has one more request. Then requests are refused, and clients go elsewhere. */
  #state: "open" | "closing" | "closed" = "open";

  /** The MCP sessions of all servers. */
  get connections(): Connections {
    return connectionsOf(this.#all.map(({ endpoint }) => endpoint));
  }

  constructor(served: readonly Served[], options: ServeOptions, isLocal: boolean) {
    this.#options = options;
    const siblings = served.slice(1);
    this.#all = served.map((each, at) => new ServerRoutes(each, options, at === 0 ? siblings : []));
    const [root] = this.#all;
    if (!root) throw new BiplaneError("INVALID_DEFINITION", "There is nothing to serve. Pass at least one server.");
    this.#root = root;
    this.#authenticator = new Authenticator(options, (fault, where) => root.server.report(fault, where));
    const readAddress = addressReader(options.trustedProxies);
    const { fleet } = root.server;
    this.#addressOf = (request) => (fleet && readForwarded(fleet.key, request)?.address) ?? readAddress(request);
    this.#publicPaths = new PublicPaths(this.#all, {
      ...options,
      discoverable: options.discoverable ?? isLocal,
      addressOf: this.#addressOf,
      redactor: this.#redactor,
      report: (fault, where) => root.server.report(fault, where),
    });
    this.#stopGauges = this.#all.flatMap((routes) => gaugesOf(routes, options));
    admitBodies(options.maxBodyBytes ?? defaultMaxBytes);
    options.metrics?.watch?.(
      openSockets,
      arrivingBytes,
      unreadBytes,
      eventBytes,
      subscriptionBytes,
      forwardedRequests,
      followedStreams,
    );
  }

  readonly #redactor = () => this.#redactors.of(this.#all.map(({ server }) => server.redactor));

  request(request: IncomingMessage, response: ServerResponse): void {
    if (this.#state !== "open") response.shouldKeepAlive = false;
    if (this.#state === "closed") return sendError(response, closingError(), { headers: { "retry-after": "1" } });
    if (this.#options.sandbox?.owns(hostOf(request))) return this.#serveSandbox(request, response);
    const token = takeToken(request);
    const whole = pathOf(request);
    if (token === undefined && this.#publicPaths.serve({ request, response, path: whole })) return;
    const [routes, path] = this.#find(whole);
    const address = this.#addressOf(request);
    const audience = audienceOf(routes, path);
    const key = audience === "trainers" ? apiKeyIn(request.headers) : undefined;
    const known = this.#authenticator.identify(this.#caller(request, address, token ?? key), audience);
    if (known instanceof Promise)
      void known.then((late) => this.#serve(request, response, { routes, path, known: late, address }));
    else this.#serve(request, response, { routes, path, known, address });
  }

  /** A listener for a port that only the other processes of the fleet may use. */
  onlyForwarded(listener: HttpListener): HttpListener {
    const { fleet } = this.#root.server;
    const isForwarded = (request: IncomingMessage) => {
      takeToken(request); // What is signed is the path without it.
      return fleet !== undefined && readForwarded(fleet.key, request) !== undefined;
    };
    return {
      guard: listener.guard,
      onRequest: (request, response) =>
        isForwarded(request) ? listener.onRequest(request, response) : sendError(response, onlyForOthers()),
      onUpgrade: (request, socket, head) =>
        isForwarded(request) ? listener.onUpgrade(request, socket, head) : refuseSocket(socket, onlyForOthers()),
    };
  }

  /** Calls and steps take the fast lane, unless they are refused before their body is read. */
  readonly fastRoute: LaneRouter = ({ url, headers, contentLength }) => {
    const { sandbox, maxBodyBytes = defaultMaxBytes } = this.#options;
    if (this.#state !== "open") return undefined;
    const [routes, path] = this.#find(url);
    if (!routes?.isCallPath(path) || !isJsonType(headers["content-type"])) return undefined;
    if (contentLength > maxBodyBytes || sandbox?.owns(headers["host"] ?? "")) return undefined;
    const audience = audienceOf(routes, path);
    return (request, response) => {
      const address = this.#addressOf(request);
      const serve = (known: Principal | AuthenticationError) => {
        if (known instanceof AuthenticationError) sendError(response, known.error, { headers: known.headers });
        else if (this.#state === "closed") sendError(response, closingError());
        else {
          this.#note(request, known);
          routes.serve({ request, response, path, principal: known, address });
        }
      };
      const token = audience === "trainers" ? apiKeyIn(request.headers) : undefined;
      const known = this.#authenticator.identify(this.#caller(request, address, token), audience);
      if (known instanceof Promise)
        void contain(
          () => response.destroy(),
          () => known.then(serve),
        );
      else serve(known);
    };
  };

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#state !== "open") return refuseSocket(socket, closingError());
    if (this.#options.sandbox?.owns(hostOf(request)))
      return refuseSocket(socket, new BiplaneError("NOT_FOUND", "Only /sandbox is served here."));
    const token = takeToken(request);
    const [routes, path] = this.#find(pathOf(request));
    const query = new URLSearchParams(request.url?.split("?")[1] ?? "");
    const address = this.#addressOf(request);
    const caller = this.#caller(request, address, token);
    const known = Promise.resolve(this.#authenticator.identify(caller, audienceOf(routes, path)));
    known
      .then((principal) =>
        this.#openSocket({ request, socket, head }, { routes, path, query, known: principal, address }),
      )
      .catch((error: unknown) => {
        this.#root.server.report(error, "opening a WebSocket");
        refuseSocket(socket, new BiplaneError("INTERNAL", "Internal error"));
      });
  }

  #caller(request: HttpMessage, address: string, token: string | undefined): NetworkRequest {
    const { headers, method, url = "/" } = request;
    const { fleet } = this.#root.server;
    const isForwarded = fleet !== undefined && readForwarded(fleet.key, request) !== undefined;
    return { headers, address, token, method, path: withoutQuery(url), isForwarded };
  }

  async #openSocket(
    { request, socket, head }: Upgrade,
    { routes, path, query, known, address }: Found & { query: URLSearchParams },
  ): Promise<void> {
    if (known instanceof AuthenticationError) return refuseSocket(socket, known.error);
    if (this.#state !== "open") return refuseSocket(socket, closingError());
    if (await routes?.sendSocketOn({ request, socket, head }, { path, principal: known, address })) return;
    const open = await routes?.socket(path, query, known);
    if (!open) {
      const message = `No WebSocket is served at ${withoutToken(path)}.`;
      return refuseSocket(socket, new BiplaneError("NOT_FOUND", this.#redactor()?.text(message) ?? message));
    }
    if (socket.destroyed) return;
    const place = openSockets.open(chargedTo(known));
    const full = place.resize(1);
    if (full) return refuseSocket(socket, full);
    socket.once("close", () => place.release());
    const listener = await this.#webSockets(path === "/ws" && routes?.isTrainerPath(path));
    const arriving = arrivingBytes.open(chargedTo(known));
    listener.accept({ request, socket, head }, { id: known.id, key: callerOf(known), arriving }, open);
  }

  async close(graceMs: number): Promise<void> {
    this.#state = "closing";
    for (const stop of this.#stopGauges) stop();
    this.#publicPaths.close();
    const listeners = await Promise.all(this.#sockets.values());
    for (const listener of listeners) listener.stopReading();
    for (const routes of this.#all) routes.releaseEpisodes();
    for (const { endpoint } of this.#all) endpoint.close();
    await Promise.all(this.#all.map(({ server }) => server.drain(graceMs)));
    this.#state = "closed";
    for (const routes of this.#all) routes.close();
    for (const listener of listeners) listener.close();
  }

  /** Only the sandbox may answer on these host names, because untrusted code runs there. */
  #serveSandbox(request: IncomingMessage, response: ServerResponse): void {
    const { sandbox } = this.#options as { sandbox: SandboxRoutes };
    const { method = "GET", url = "/" } = request;
    const { status, headers, bytes } = sandbox.handle({ method, host: hostOf(request), url });
    response.writeHead(status, headers).end(bytes); // without the default headers, which forbid framing
  }

  #find(path: string): [ServerRoutes | undefined, string] {
    if (!path.startsWith("/env/")) return [this.#root, path];
    const end = path.indexOf("/", 5);
    const name = path.slice(5, end < 0 ? undefined : end);
    return [this.#all.find((routes) => routes.name === name), end < 0 ? "/" : path.slice(end)];
  }

  #serve(request: IncomingMessage, response: ServerResponse, { routes, path, known, address }: Found): void {
    if (known instanceof AuthenticationError) return sendError(response, known.error, { headers: known.headers });
    if (this.#state === "closed") return sendError(response, closingError()); // while its caller was identified
    this.#note(request, known);
    const { metrics } = this.#options;
    const serve = () => {
      if (path === "/metrics" && metrics) return metrics.handle(request, response, known);
      if (routes?.request({ request, response, path, principal: known, address })) return;
      sendNothingServed(response, pathOf(request), this.#redactor());
    };
    void contain(() => response.destroy(), serve);
  }

  /** Notes that a caller is active, and uses this connection. */
  #note({ socket }: HttpMessage, known: Principal): void {
    loopTurns.seen(known.id);
    this.clients.use(socket, known);
  }

  /** Trainers send large frames; for everyone else the limit of a body applies. */
  #webSockets(isTrainerPath: boolean | undefined): Promise<WebSocketListener> {
    const maxBodyBytes = this.#options.maxBodyBytes ?? defaultMaxBytes;
    const maxMessageBytes = isTrainerPath ? Math.max(maxBodyBytes, trainerFrameBytes) : maxBodyBytes;
    const isFast = this.#options.fastLane !== false;
    let listener = this.#sockets.get(maxMessageBytes);
    if (!listener) {
      listener = import("../transport/websocket.ts").then(
        (loaded) => new loaded.WebSocketListener({ maxMessageBytes, subprotocol: "mcp", isFast }),
      );
      this.#sockets.set(maxMessageBytes, listener);
    }
    return listener;
  }
}

/** The routes of a request, and its caller. */
interface Found {
  readonly routes: ServerRoutes | undefined;
  readonly path: string;
  readonly known: Principal | AuthenticationError;
  /** The address of the client. */
  readonly address: string;
}

function refuseSocket(socket: Duplex, error: BiplaneError): void {
  refuseUpgrade(socket, statusOf[error.code], error);
}

function audienceOf(routes: ServerRoutes | undefined, path: string): Audience {
  if (path === "/metrics") return "monitors";
  return routes?.isTrainerPath(path) ? "trainers" : "agents";
}

/** `URL` drops a default port such as 80, so read it from the text (default: 8000). */
function portIn(url: string): number {
  return Number(/:(\d+)\/?$/.exec(url)?.[1] ?? 8000);
}

function hostOf({ headers }: IncomingMessage): string {
  return headers.host ?? "";
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return withoutQuery(url);
}

function gaugesOf(routes: ServerRoutes, { metrics }: ServeOptions): (() => void)[] {
  if (!metrics?.gauge) return [];
  return [
    metrics.gauge("sessions", () => routes.endpoint.sessions.size),
    metrics.gauge("episodes", () => routes.episodes),
  ];
}

function onlyForOthers(): BiplaneError {
  return new BiplaneError("FORBIDDEN", "This port is for other servers of the fleet. Use the shared one.");
}
