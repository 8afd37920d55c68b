import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { BiplaneError } from "../errors.ts";
import type { SandboxDoor } from "../server/doors.ts";
import type { Connections } from "../server/connections.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Principal } from "../tool/call.ts";
import { createGuard, isLoopback } from "../transport/guard.ts";
import type { Guard } from "../transport/guard.ts";
import { listenHttp, portOf, refuseUpgrade, sendJson } from "../transport/http.ts";
import type { WebSocketDoor } from "../transport/websocket.ts";
import { addressReader } from "./caller-address.ts";
import { Gatekeeper, Refusal } from "./gatekeeper.ts";
import type { Admission } from "./gatekeeper.ts";
import { defaultMaxBytes } from "./limits.ts";
import { connectionsOf } from "./mcp/connections.ts";
import { takeToken, withoutToken } from "./path-token.ts";
import { sendAnswer } from "./door-answer.ts";
import { answerPeople } from "./people-door.ts";
import { resourceMetadata } from "./protected-resource.ts";
import { Readiness } from "./readiness.ts";
import { checkAddress } from "./start-rules.ts";
import { Wing } from "./wing.ts";
import type { Served } from "./wing.ts";

/** Opens one port with all doors of what is served behind it. */
export async function serveHttp(served: readonly Served[], url: string, options: ServeOptions): Promise<Listening> {
  const { protocol, hostname } = new URL(url);
  checkAddress(served, hostname, options);
  const house = new House(served, options);
  const http = await listenHttp(hostname.replaceAll(/[[\]]/g, ""), portIn(url), {
    guard: guardFor(hostname, options),
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
  const { connections } = house;
  return { url: `${protocol}//${hostname}:${portOf(http)}`, closed, close, connections, [Symbol.asyncDispose]: close };
}

/** Everything behind one port: the first wing at the root, each of several also under its name. */
class House {
  readonly #wings: readonly Wing[];
  readonly #root: Wing;
  readonly #options: ServeOptions;
  readonly #gatekeeper: Gatekeeper;
  readonly #readiness: Readiness;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #sockets = new Map<number, Promise<WebSocketDoor>>();
  readonly #stopGauges: readonly (() => void)[];

  /** The MCP sessions of all wings. */
  get connections(): Connections {
    return connectionsOf(this.#wings.map(({ endpoint }) => endpoint));
  }

  constructor(served: readonly Served[], options: ServeOptions) {
    this.#options = options;
    this.#wings = served.map((each) => new Wing(each, options));
    const [root] = this.#wings;
    if (!root) throw new BiplaneError("INVALID_DEFINITION", "there is nothing to serve");
    this.#root = root;
    this.#gatekeeper = new Gatekeeper(options, (fault, where) => root.server.report(fault, where));
    this.#readiness = new Readiness(options.ready);
    this.#addressOf = addressReader(options.trustedProxies);
    this.#stopGauges = this.#wings.flatMap((wing) => gaugesOf(wing, options));
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    if (this.#options.sandbox?.owns(hostOf(request))) return this.#runApp(request, response);
    const token = takeToken(request);
    const whole = pathOf(request);
    if (token === undefined && this.#isForEveryone(request, response, whole)) return;
    const [wing, path] = this.#find(whole);
    const caller = { headers: request.headers, address: this.#addressOf(request), token };
    const known = this.#gatekeeper.identify(caller, admissionOf(wing, path));
    if (known instanceof Promise) void known.then((late) => this.#serve(request, response, wing, path, late));
    else this.#serve(request, response, wing, path, known);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#options.sandbox?.owns(hostOf(request))) return refuseUpgrade(socket, 404, "Apps run here");
    const token = takeToken(request);
    const [wing, path] = this.#find(pathOf(request));
    const query = new URLSearchParams(request.url?.split("?")[1] ?? "");
    const caller = { headers: request.headers, address: this.#addressOf(request), token };
    void Promise.resolve(this.#gatekeeper.identify(caller, admissionOf(wing, path))).then(async (known) => {
      if (known instanceof Refusal) return refuseUpgrade(socket, known.status, known.message);
      const open = wing?.socket(path, query, known);
      if (!open) return refuseUpgrade(socket, 404, `Nothing listens at ${withoutToken(path)}`);
      (await this.#door(path === "/ws")).accept(request, socket, head, open);
    });
  }

  async close(graceMs: number): Promise<void> {
    for (const stop of this.#stopGauges) stop();
    this.#readiness.close();
    for (const wing of this.#wings) wing.endpoint.close();
    await Promise.all(this.#wings.map((wing) => wing.server.drain(graceMs)));
    for (const wing of this.#wings) wing.close();
    for (const door of this.#sockets.values()) (await door).close();
  }

  /** Answers where nobody needs to say who he is, or where that is asked behind the door. */
  #isForEveryone(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const { people, page, publicUrl, authenticate } = this.#options;
    if (path === "/healthz") {
      sendJson(response, 200, '{"status":"ok"}');
    } else if (path === "/health") {
      sendJson(response, 200, '{"status":"healthy"}');
    } else if (path === "/readyz") {
      this.#readiness.answer(response);
    } else if (people && (path === "/api" || path.startsWith("/api/"))) {
      const origin = publicUrl === undefined ? `http://${request.headers.host}` : new URL(publicUrl).origin;
      const report = (fault: unknown, where: string) => this.#root.server.report(fault, where);
      void answerPeople(people, request, response, { path, address: this.#addressOf(request), origin, report });
    } else if (path.startsWith("/.well-known/")) {
      const metadata = resourceMetadata(path, authenticate?.resource);
      if (metadata !== undefined) sendJson(response, 200, metadata, { "cache-control": "max-age=3600" });
      else this.#notFound(request, response);
    } else {
      const isRead = request.method === "GET" || request.method === "HEAD";
      const file = isRead ? page?.answer(path, request.headers["accept-encoding"]) : undefined;
      if (file) sendAnswer(response, file);
      return file !== undefined;
    }
    return true;
  }

  /** Nothing else may answer on these host names: what runs there is not ours. */
  #runApp(request: IncomingMessage, response: ServerResponse): void {
    const { sandbox } = this.#options as { sandbox: SandboxDoor };
    const { method = "GET", url = "/" } = request;
    const { status, headers, bytes } = sandbox.answer({ method, host: hostOf(request), url });
    response.writeHead(status, headers).end(bytes); // it is there to be framed, so only its own headers count
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
    known: Principal | Refusal,
  ): void {
    if (known instanceof Refusal) {
      const { status, message, headers } = known;
      const error = status === 503 ? "CAPACITY" : "UNAUTHORIZED";
      return sendJson(response, status, JSON.stringify({ error, message }), headers);
    }
    if (path === "/metrics" && this.#options.metrics) return this.#options.metrics.answer(request, response, known);
    if (wing?.request(request, response, path, known)) return;
    this.#notFound(request, response);
  }

  #notFound(request: IncomingMessage, response: ServerResponse): void {
    const message = `Nothing is served at ${withoutToken(pathOf(request))}; MCP is at /mcp`;
    sendJson(response, 404, JSON.stringify({ error: "NOT_FOUND", message }));
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

function admissionOf(wing: Wing | undefined, path: string): Admission {
  if (path === "/metrics") return "watchers";
  return wing?.isTrainerPath(path) ? "trainers" : "agents";
}

/** A proxy passes on the name that others know us by, and our own page's origin is that name too. */
function guardFor(host: string, options: ServeOptions): Guard {
  const guard = ownGuard(host, options);
  const { sandbox } = options;
  return sandbox ? (headers) => (sandbox.owns(headers.host ?? "") ? undefined : guard(headers)) : guard;
}

function ownGuard(host: string, options: ServeOptions): Guard {
  const { allowedHosts = [], allowedOrigins = [], publicUrl } = options;
  if (publicUrl === undefined) return createGuard({ host, allowedHosts, allowedOrigins });
  const { hostname, origin } = new URL(publicUrl);
  return createGuard({
    host,
    // Where any name was good before, this must not be the one that shuts out the others.
    allowedHosts: isLoopback(host) || allowedHosts.length > 0 ? [...allowedHosts, hostname] : [],
    allowedOrigins: [...allowedOrigins, origin],
  });
}

/** `URL` leaves out a port that is its protocol's own, so it is read from the text; without one it is 8000. */
function portIn(url: string): number {
  return Number(/:(\d+)\/?$/.exec(url)?.[1] ?? 8000);
}

function hostOf({ headers }: IncomingMessage): string {
  return headers.host ?? "";
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function gaugesOf(wing: Wing, { metrics }: ServeOptions): (() => void)[] {
  if (!metrics?.gauge) return [];
  return [metrics.gauge("sessions", () => wing.endpoint.sessions.size), metrics.gauge("episodes", () => wing.episodes)];
}
