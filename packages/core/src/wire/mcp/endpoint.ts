import { asBiplaneError } from "../../errors.ts";
import { chain } from "../../chain.ts";
import type { RequestLog } from "../../server/listening.ts";
import type { CatalogChange } from "../../server/catalog.ts";
import type { ServerCore } from "../../server/server-core.ts";
import { isLogLevel } from "./client.ts";
import { answerToolCall, invalidParams, getPromptMessages, readResourceContents } from "./call-tool.ts";
import { answerCompletion } from "./complete.ts";
import { Encoder, faultOfServer, plainFaultFor } from "./encode.ts";
import type { ScopeChallenge } from "./encode.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { Lists } from "./lists.ts";
import { skillMethods } from "./skills.ts";
import { McpSubscriptions } from "./subscriptions.ts";
import {
  legacyVersions,
  metaKey,
  modernVersion,
  rpcCode,
  appsExtension,
  skillsExtension,
  tasksExtension,
} from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { logged } from "./request-log.ts";
import { RequestState } from "./request-state.ts";
import { notification } from "../../protocol/rpc.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import type { EpisodeResolver } from "./episode-resolver.ts";
import type { McpSession } from "./session.ts";
import { mcpTasksOf } from "./tasks.ts";
import type { McpTasks } from "./tasks.ts";

/** The answer to a request above its caller's rate. */
type Refusal = { readonly fault: RpcFault } | undefined;

export interface EndpointOptions {
  /** In an environment: finds the episode of a request. */
  readonly resolver?: EpisodeResolver | undefined;
  /** More methods for clients without a handshake. */
  readonly dialect?: McpDialect | undefined;
  readonly challenge?: ScopeChallenge | undefined;
  readonly pageSize?: number | undefined;
  readonly stateKey?: string | undefined;
  readonly cacheTtlMs?: number | undefined;
  readonly requestLog?: RequestLog | undefined;
  /** Makes the id of a session (default: random). */
  readonly newSessionId?: (() => string) | undefined;
}

/**
 * Serves all MCP methods of both eras, over any transport. The protocol is implemented here, because the official SDK
 * takes about ten times the CPU per request (`npm run bench:mcp`). The tests hold it against the SDK's clients and the
 * official conformance suite.
 */
export class Endpoint {
  readonly server: ServerCore;
  readonly encoder: Encoder;
  readonly lists: Lists;
  readonly state: RequestState;
  readonly subscriptions = new McpSubscriptions();
  readonly sessions = new Set<McpSession>();
  readonly resolver: EpisodeResolver | undefined;
  readonly requestLog: RequestLog | undefined;
  readonly newSessionId: (() => string) | undefined;
  readonly #dialect: McpDialect | undefined;
  readonly #stopListening: () => void;
  #tasks: McpTasks | undefined;

  constructor(server: ServerCore, options: EndpointOptions) {
    this.server = server;
    this.encoder = new Encoder(serverInfo(server), options.challenge);
    this.lists = new Lists(server, this.encoder, {
      pageSize: options.pageSize,
      cacheTtlMs: options.cacheTtlMs ?? 5000,
    });
    this.state = new RequestState(options.stateKey);
    this.resolver = options.resolver;
    this.requestLog = options.requestLog;
    this.#dialect = options.dialect;
    const publish = (change: CatalogChange) => this.#publish(change);
    const stops = [server.onChange(publish), server.onChangeElsewhere(publish)];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.newSessionId = options.newSessionId;
  }

  get hasDialect(): boolean {
    return this.#dialect !== undefined;
  }

  get tasks(): McpTasks {
    if (!this.#tasks) {
      this.#tasks = mcpTasksOf(this.server);
      this.#tasks.onChange(this.subscriptions);
    }
    return this.#tasks;
  }

  /** From now on, subscriptions hear of tasks that change. */
  hearTasks(): void {
    void this.tasks;
  }

  /** Serves one request. */
  handle(exchange: Exchange): McpAnswer | Promise<McpAnswer> {
    return this.requestLog ? logged(this.requestLog, exchange, () => this.#serve(exchange)) : this.#serve(exchange);
  }

  #serve(exchange: Exchange): McpAnswer | Promise<McpAnswer> {
    const standard = (exchange.era === "modern" ? modernMethods : legacyMethods).get(exchange.method);
    const handler =
      (exchange.era === "legacy" && this.#dialect?.(exchange)) || standard || this.#extra(exchange) || methodNotFound;
    try {
      const refused = makeCalls.has(exchange.method) ? undefined : this.count(exchange);
      const answer = chain(refused, (fault) => fault ?? handler(this, exchange));
      const counted = chain(answer, (given) => this.#counted(exchange, given));
      if (!(counted instanceof Promise)) return this.withoutSecrets(counted);
      return counted.then(
        (late) => this.withoutSecrets(late),
        (error: unknown) => this.#internal(exchange, error),
      );
    } catch (error) {
      return this.#internal(exchange, error);
    }
  }

  /** A method of an extension that this server uses. */
  #extra({ method }: Exchange): Method | undefined {
    return this.server.catalog.skills.size > 0 ? skillMethods.get(method) : undefined;
  }

  /** Results are redacted where they are made. Faults may quote anything. */
  withoutSecrets(answer: McpAnswer): McpAnswer {
    return answer !== "no-response" && "fault" in answer
      ? { ...answer, fault: this.redactFault(answer.fault) }
      : answer;
  }

  redactFault(fault: RpcFault): RpcFault {
    return this.server.redactor?.value(fault) ?? fault;
  }

  /** Counts a request that should have made a call, and was answered before it did. */
  #counted(exchange: Exchange, answer: McpAnswer): McpAnswer | Promise<McpAnswer> {
    if (exchange.hasCall || !makeCalls.has(exchange.method)) return answer;
    return chain(this.count(exchange), (refused) => refused ?? answer);
  }

  /**
   * Counts a request against its caller's rate, and answers it if that is exceeded. Simulated environments are exempt,
   * because trainers drive them as fast as they can.
   */
  count({ era, principal }: Pick<Exchange, "era" | "principal">): Refusal | Promise<Refusal> {
    const { limits, mode } = this.server;
    if (!limits || (this.resolver && mode === "simulation")) return undefined;
    const refuse = (error: unknown) => ({ fault: plainFaultFor(era, asBiplaneError(error)) });
    try {
      const counted = limits.countRequest(principal);
      return counted?.then(() => undefined, refuse);
    } catch (error) {
      return refuse(error);
    }
  }

  capabilities(era: Era): Params {
    const shared = {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      // A new session would have another episode, so a client must send a call again in the same session.
      ...(this.server.fleet && {
        experimental: { [metaKey.idempotencyKey]: this.resolver ? { within: "session" } : {} },
      }),
    };
    const extensions = {
      ...(era === "modern" && { [tasksExtension]: {} }),
      ...(this.lists.hasApps && { [appsExtension]: {} }),
      ...(this.server.catalog.skills.size > 0 && { [skillsExtension]: { directoryRead: true } }),
    };
    return Object.keys(extensions).length > 0 ? { ...shared, extensions } : shared;
  }

  get instructions(): Params {
    const { description } = this.server.options;
    if (description === undefined) return {};
    return { instructions: this.server.redactor?.text(description) ?? description };
  }

  /** Ends all subscriptions. Tasks that wait are left to other processes. */
  close(): void {
    this.#tasks?.release();
    this.#stopListening();
    this.subscriptions.close();
  }

  /** Errors of tools are handled earlier, so this is an outage of the store or a bug. The client still gets an answer. */
  #internal(exchange: Exchange, error: unknown): McpAnswer {
    this.server.report(error, exchange.method);
    return { fault: faultOfServer(exchange.era, error) };
  }

  #publish(change: CatalogChange): void {
    this.lists.forget();
    this.subscriptions.publish(change);
    for (const session of this.sessions) {
      if (typeof change === "string") session.deliver(notification(`notifications/${change}/list_changed`, {}));
      else if (session.isSubscribed(change.resource)) {
        session.deliver(notification("notifications/resources/updated", { uri: change.resource }));
      }
    }
  }
}

/** Methods that another protocol adds on the same address. Returns undefined for plain MCP requests. */
export type McpDialect = (exchange: Exchange) => Method | undefined;

export type Method = (endpoint: Endpoint, exchange: Exchange) => McpAnswer | Promise<McpAnswer>;

const shared: [string, Method][] = [
  ["tools/call", answerToolCall],
  ["tools/list", (endpoint, exchange) => endpoint.lists.page("tools", exchange)],
  ["resources/list", (endpoint, exchange) => endpoint.lists.page("resources", exchange)],
  ["resources/templates/list", (endpoint, exchange) => endpoint.lists.page("resourceTemplates", exchange)],
  ["resources/read", readResourceContents],
  ["prompts/list", (endpoint, exchange) => endpoint.lists.page("prompts", exchange)],
  ["prompts/get", getPromptMessages],
  ["completion/complete", answerCompletion],
];

/** Methods that make a call, which counts when it is performed. */
const makeCalls = new Set(["tools/call", "resources/read", "prompts/get", "completion/complete"]);

export const modernMethods = new Map<string, Method>([
  ...shared,
  ["server/discover", discover],
  ["subscriptions/listen", (endpoint, exchange) => endpoint.subscriptions.listen(endpoint, exchange)],
  ["tasks/get", (endpoint, exchange) => endpoint.tasks.get(endpoint, exchange)],
  ["tasks/update", (endpoint, exchange) => endpoint.tasks.update(endpoint, exchange)],
  ["tasks/cancel", (endpoint, exchange) => endpoint.tasks.cancel(endpoint, exchange)],
]);

export const legacyMethods = new Map<string, Method>([
  ...shared,
  ["ping", empty],
  ["logging/setLevel", setLevel],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
]);

function methodNotFound(_: Endpoint, { era, method }: Exchange): McpAnswer {
  const message = `Method not found: ${method.slice(0, 128)}`;
  return { fault: { code: rpcCode.methodNotFound, message, status: era === "modern" ? 404 : 200 } };
}

function discover(endpoint: Endpoint, { era }: Exchange): McpAnswer {
  const result = {
    supportedVersions: [modernVersion, ...legacyVersions],
    capabilities: endpoint.capabilities(era),
    serverInfo: endpoint.encoder.serverInfo,
    ...endpoint.instructions,
    ...endpoint.lists.cacheHints(era),
  };
  return { result: endpoint.encoder.result(era, result) };
}

function empty(): McpAnswer {
  return { result: "{}" };
}

function setLevel(_: Endpoint, { params, session }: Exchange): McpAnswer | Promise<McpAnswer> {
  const { level } = params;
  if (!isLogLevel(level)) return invalidParams("level must be an MCP log level");
  if (session) session.logLevel = level;
  return settled(session);
}

function subscribe(endpoint: Endpoint, { params, session }: Exchange): McpAnswer | Promise<McpAnswer> {
  const { uri } = params;
  if (typeof uri !== "string") return invalidParams("uri must be a string");
  if (!session) return needsSession();
  const full = session.subscribe(uri);
  if (full) return { fault: plainFaultFor("legacy", full) };
  endpoint.server.findResource(uri)?.resource.watch?.(uri);
  return settled(session);
}

function unsubscribe(_: Endpoint, { params, session }: Exchange): McpAnswer | Promise<McpAnswer> {
  const { uri } = params;
  if (typeof uri !== "string") return invalidParams("uri must be a string");
  if (!session) return needsSession();
  session.unsubscribe(uri);
  return settled(session);
}

/** Answers once the settings of the session are stored. */
function settled(session: McpSession | undefined): McpAnswer | Promise<McpAnswer> {
  return chain(session?.onSettings(), empty);
}

function needsSession(): McpAnswer {
  return invalidParams("a subscription needs a session; send initialize first");
}

function serverInfo({ name, version, options }: ServerCore): Params {
  const { title, icons, websiteUrl } = options;
  return { name, ...(title && { title }), version, ...(icons && { icons }), ...(websiteUrl && { websiteUrl }) };
}
