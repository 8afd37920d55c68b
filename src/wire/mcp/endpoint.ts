import type { RequestLog } from "../../server/listening.ts";
import type { Change } from "../../server/catalog.ts";
import type { Server } from "../../server/server.ts";
import { isLogLevel } from "./client.ts";
import { callTool, invalidParams, prompt, read } from "./call-tool.ts";
import { complete } from "./complete.ts";
import { Encoder } from "./encode.ts";
import type { Challenge } from "./encode.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { Lists } from "./lists.ts";
import { Subscriptions } from "./listen.ts";
import { legacyVersions, modernVersion, rpcCode, appsExtension, tasksExtension } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { logged } from "./request-log.ts";
import { RequestState } from "./request-state.ts";
import { notification } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";
import type { Seating } from "./seating.ts";
import type { Session } from "./session.ts";
import { taskBoardOf } from "./tasks.ts";
import type { TaskBoard } from "./tasks.ts";

export interface EndpointOptions {
  /** In an environment: which episode a request belongs to. */
  readonly seating?: Seating | undefined;
  /** Further methods for clients that shake no hands; undefined leaves the request to MCP's own. */
  readonly dialect?: Dialect | undefined;
  readonly challenge?: Challenge | undefined;
  readonly pageSize?: number | undefined;
  readonly stateKey?: string | undefined;
  readonly cacheTtlMs?: number | undefined;
  readonly requestLog?: RequestLog | undefined;
}

/** A server as MCP sees it: every method of both eras, whatever the bytes came over. */
export class Endpoint {
  readonly server: Server;
  readonly encoder: Encoder;
  readonly lists: Lists;
  readonly state: RequestState;
  readonly subscriptions = new Subscriptions();
  readonly sessions = new Set<Session>();
  readonly seating: Seating | undefined;
  readonly requestLog: RequestLog | undefined;
  readonly #dialect: Dialect | undefined;
  readonly #stopListening: () => void;
  #tasks: TaskBoard | undefined;

  constructor(server: Server, options: EndpointOptions) {
    this.server = server;
    this.encoder = new Encoder(serverInfo(server), options.challenge);
    this.lists = new Lists(server, this.encoder, {
      pageSize: options.pageSize,
      cacheTtlMs: options.cacheTtlMs ?? 5000,
    });
    this.state = new RequestState(options.stateKey);
    this.seating = options.seating;
    this.requestLog = options.requestLog;
    this.#dialect = options.dialect;
    this.#stopListening = server.onChange((change) => this.#publish(change));
  }

  /** Whether neighbours speak here too. */
  get hasDialect(): boolean {
    return this.#dialect !== undefined;
  }

  get tasks(): TaskBoard {
    if (!this.#tasks) {
      this.#tasks = taskBoardOf(this.server);
      this.#tasks.onChange((task, whose) => this.subscriptions.publishTask(task, whose));
    }
    return this.#tasks;
  }

  /** Serves one request. What is not known is said to be unknown. */
  handle(exchange: Exchange): Answer | Promise<Answer> {
    return this.requestLog ? logged(this.requestLog, exchange, () => this.#serve(exchange)) : this.#serve(exchange);
  }

  #serve(exchange: Exchange): Answer | Promise<Answer> {
    const ours = (exchange.era === "modern" ? modernMethods : legacyMethods).get(exchange.method);
    const handler = (exchange.era === "legacy" && this.#dialect?.(exchange)) || ours;
    if (!handler) {
      const message = `Method not found: ${exchange.method.slice(0, 128)}`;
      return { fault: { code: rpcCode.methodNotFound, message, status: exchange.era === "modern" ? 404 : 200 } };
    }
    try {
      const answer = handler(this, exchange);
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#internal(exchange, error)) : answer;
    } catch (error) {
      return this.#internal(exchange, error);
    }
  }

  capabilities(era: Era): Params {
    const shared = {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    };
    const extensions = {
      ...(era === "modern" && { [tasksExtension]: {} }),
      ...(this.lists.hasApps && { [appsExtension]: {} }),
    };
    return Object.keys(extensions).length > 0 ? { ...shared, extensions } : shared;
  }

  get instructions(): Params {
    const { description } = this.server.options;
    return description === undefined ? {} : { instructions: description };
  }

  /** Says goodbye to those who listen. */
  close(): void {
    this.#stopListening();
    this.subscriptions.close();
  }

  /** User code cannot get here; what does is a fault of ours, and still gets an answer. */
  #internal(exchange: Exchange, error: unknown): Answer {
    this.server.report(error, exchange.method);
    return { fault: { code: rpcCode.internal, message: "Internal error" } };
  }

  #publish(change: Change): void {
    this.lists.forget();
    this.subscriptions.publish(change);
    for (const session of this.sessions) {
      if (typeof change === "string") session.deliver(notification(`notifications/${change}/list_changed`, {}));
      else if (session.subscriptions.has(change.resource)) {
        session.deliver(notification("notifications/resources/updated", { uri: change.resource }));
      }
    }
  }
}

/** A neighbour's way of speaking JSON-RPC on the same address. */
export type Dialect = (exchange: Exchange) => Method | undefined;

export type Method = (endpoint: Endpoint, exchange: Exchange) => Answer | Promise<Answer>;

const shared: [string, Method][] = [
  ["tools/call", callTool],
  ["tools/list", (endpoint, exchange) => endpoint.lists.page("tools", exchange)],
  ["resources/list", (endpoint, exchange) => endpoint.lists.page("resources", exchange)],
  ["resources/templates/list", (endpoint, exchange) => endpoint.lists.page("resourceTemplates", exchange)],
  ["resources/read", read],
  ["prompts/list", (endpoint, exchange) => endpoint.lists.page("prompts", exchange)],
  ["prompts/get", prompt],
  ["completion/complete", complete],
];

const modernMethods = new Map<string, Method>([
  ...shared,
  ["server/discover", discover],
  ["subscriptions/listen", (endpoint, exchange) => endpoint.subscriptions.listen(endpoint, exchange)],
  ["tasks/get", (endpoint, exchange) => endpoint.tasks.get(endpoint, exchange)],
  ["tasks/update", (endpoint, exchange) => endpoint.tasks.update(endpoint, exchange)],
  ["tasks/cancel", (endpoint, exchange) => endpoint.tasks.cancel(endpoint, exchange)],
]);

const legacyMethods = new Map<string, Method>([
  ...shared,
  ["ping", empty],
  ["logging/setLevel", setLevel],
  ["resources/subscribe", (endpoint, exchange) => subscribe(endpoint, exchange, true)],
  ["resources/unsubscribe", (endpoint, exchange) => subscribe(endpoint, exchange, false)],
]);

function discover(endpoint: Endpoint, { era }: Exchange): Answer {
  const result = {
    supportedVersions: [modernVersion, ...legacyVersions],
    capabilities: endpoint.capabilities(era),
    serverInfo: endpoint.encoder.serverInfo,
    ...endpoint.instructions,
    ...endpoint.lists.cacheHints(era),
  };
  return { result: endpoint.encoder.result(era, result) };
}

function empty(): Answer {
  return { result: "{}" };
}

function setLevel(_: Endpoint, { params, session }: Exchange): Answer {
  const { level } = params;
  if (!isLogLevel(level)) return invalidParams("level must be one of MCP's log levels");
  if (session) session.logLevel = level;
  return empty();
}

function subscribe(endpoint: Endpoint, { params, session }: Exchange, wanted: boolean): Answer {
  const { uri } = params;
  if (typeof uri !== "string") return invalidParams("uri must be a string");
  if (!session) return invalidParams("a subscription needs a session; initialize first");
  if (!wanted) session.subscriptions.delete(uri);
  else if (session.subscriptions.size >= 1000)
    return { fault: { code: rpcCode.server, message: "Too many subscriptions" } };
  else {
    session.subscriptions.add(uri);
    endpoint.server.findResource(uri)?.resource.watch?.(uri);
  }
  return empty();
}

function serverInfo({ name, version, options }: Server): Params {
  const { title, icons, websiteUrl } = options;
  return { name, ...(title && { title }), version, ...(icons && { icons }), ...(websiteUrl && { websiteUrl }) };
}
