import { chain } from "../chain.ts";
import { Environment } from "../environment/environment.ts";
import { unknownEpisode } from "../environment/episode-labels.ts";
import { serverOf } from "../environment/served.ts";
import type { Served } from "../environment/served.ts";
import { BiplaneError, asBiplaneError } from "../errors.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { ServerCore } from "../server/server-core.ts";
import type { Principal } from "../tool/call.ts";
import type { Channel, ChannelListener } from "../transport/channel.ts";
import { sendJson } from "../transport/http.ts";
import type { Upgrade } from "../transport/websocket.ts";
import { isForTrainers } from "./check-served.ts";
import { capabilities, executeTool } from "./execute/execute.ts";
import type { ScopeFinder } from "./execute/execute.ts";
import { defaultMaxBytes } from "../bounds/message-bytes.ts";
import { EpisodeOwners } from "../environment/episode-owners.ts";
import { EpisodeGate } from "./forward/episode-gate.ts";
import { nameInRequest, sessionInRequest } from "./forward/request-names.ts";
import { decodeUri } from "../decode-uri.ts";
import { refuseMethod, sendError } from "./http-json.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { McpHttpHandler } from "./mcp/http.ts";
import { HttpSessions } from "./mcp/http-sessions.ts";
import { EpisodeResolver } from "./mcp/episode-resolver.ts";
import { describeEnvironment } from "./openenv/describe.ts";
import { OpenEnvSessions } from "./openenv/sessions.ts";
import { openEnvSocket } from "./openenv/open-socket.ts";
import { challenge } from "./protected-resource.ts";
import { redactedJson } from "./redacted-json.ts";
import type { NodeRequest, RoutedRequest } from "./routed-request.ts";
import { TrainerEndpoints } from "./trainer.ts";

/** Routes the HTTP and WebSocket requests of one server. */
export class ServerRoutes {
  readonly name: string;
  readonly server: ServerCore;
  readonly endpoint: Endpoint;
  readonly #environment: Environment | undefined;
  readonly #sessions: HttpSessions;
  readonly #mcp: McpHttpHandler;
  readonly #openEnv: OpenEnvSessions | undefined;
  /** In simulation mode only. */
  readonly #trainer: TrainerEndpoints | undefined;
  readonly #maxBodyBytes: number;
  /** Set if episodes live in one process of several. */
  readonly #gate: EpisodeGate | undefined;

  /** `siblings` are the other servers at the root of the port, for trainers that choose an environment by name. */
  constructor(served: Served, options: ServeOptions, siblings: readonly Served[] = []) {
    this.#environment = served instanceof Environment ? served : undefined;
    this.server = serverOf(served);
    this.name = served.name;
    this.#maxBodyBytes = options.maxBodyBytes ?? defaultMaxBytes;
    const resolver = this.#environment && new EpisodeResolver(this.#environment, options);
    if (this.#environment && resolver) {
      this.#openEnv = new OpenEnvSessions(this.#environment, resolver.callers);
      if (this.server.mode === "simulation")
        this.#trainer = new TrainerEndpoints(this.#environment, resolver, {
          maxBodyBytes: this.#maxBodyBytes,
          maxSessions: options.maxSessions ?? defaultMaxSessions,
          orsRewards: options.orsRewards ?? "total",
          siblings: siblings.filter(isForTrainers),
        });
    }
    const resource = options.authenticate?.resource;
    const scopeChallenge = (scopes: readonly string[], description: string) =>
      challenge(resource, { error: "insufficient_scope", description, scopes });
    const owners = this.#environment?.owners ?? sessionOwners(this.server);
    const nameOf = this.#environment ? nameInRequest : sessionInRequest;
    this.endpoint = new Endpoint(this.server, {
      ...options,
      newSessionId: owners && (() => owners.newId()),
      challenge: resource && scopeChallenge,
      resolver,
      dialect: this.#openEnv?.dialect,
    });
    this.#sessions = new HttpSessions(this.endpoint, {
      idleMs: options.sessionIdleMs ?? 30 * 60_000,
      maxSessions: options.maxSessions ?? defaultMaxSessions,
    });
    this.#gate =
      owners &&
      new EpisodeGate(owners, {
        maxBodyBytes: this.#maxBodyBytes,
        nameOf,
        report: (fault) => this.server.report(fault, "finding an episode"),
      });
    this.#mcp = new McpHttpHandler(this.endpoint, this.#sessions, this.#maxBodyBytes);
  }

  get episodes(): number {
    return this.#environment?.episodes.size ?? 0;
  }

  /** Returns false if nothing is served at the path. */
  request(routed: NodeRequest): boolean {
    if (!this.#gate || !EpisodeGate.isAbout(routed)) return this.serve(routed);
    this.#gate.handle(routed, () => {
      if (!this.serve(routed)) sendError(routed.response, new BiplaneError("NOT_FOUND", "Nothing is served here."));
    });
    return true;
  }

  /** Serves a request in this process. Returns false if nothing is served at the path. */
  serve(routed: RoutedRequest): boolean {
    const { request, response, path } = routed;
    switch (path) {
      case "/mcp":
      case "/mcp/":
        this.#mcp.handle(routed);
        return true;
      case "/mcp/execute":
        this.#execute(routed);
        return true;
      case "/mcp/capabilities":
        if (request.method === "GET") this.#count(routed, () => capabilities(this.server, response));
        else refuseMethod(response, "GET");
        return true;
      case "/health":
        sendJson(response, 200, '{"status":"healthy"}');
        return true;
      default:
    }
    const description = request.method === "GET" && this.#environment && describeEnvironment(this.#environment, path);
    if (description) {
      this.#count(routed, () => sendJson(response, 200, redactedJson(description, this.server.redactor)));
      return true;
    }
    const [, name, execute] = /^\/e\/([^/]+)\/mcp(\/execute)?\/?$/.exec(path) ?? [];
    if (name !== undefined && this.#trainer) {
      this.#inEpisode(routed, { name: decodeUri(name) ?? name, isExecute: execute !== undefined });
      return true;
    }
    return this.#trainer?.handle(routed) ?? false;
  }

  /** A description counts as a request of its caller, as MCP's lists do. Simulated environments are exempt. */
  #count({ response, principal }: RoutedRequest, send: () => void): void {
    const { limits, mode } = this.server;
    if (!limits || (this.#environment && mode === "simulation")) return send();
    const refuse = (error: unknown) => sendError(response, asBiplaneError(error));
    try {
      const counted = limits.countRequest(principal);
      if (counted) counted.then(send, refuse);
      else send();
    } catch (error) {
      refuse(error);
    }
  }

  /** Returns true if a WebSocket was connected to the process that has its episode. */
  async sendSocketOn(upgrade: Upgrade, routed: Omit<RoutedRequest, "request" | "response">): Promise<boolean> {
    return routed.path === "/ws" && ((await this.#gate?.handleSocket(upgrade, routed)) ?? false);
  }

  /** Returns the WebSocket handler for a path, or undefined. */
  async socket(
    path: string,
    query: URLSearchParams,
    principal: Principal,
  ): Promise<((channel: Channel) => ChannelListener) | undefined> {
    if (path === "/mcp" || path === "/mcp/" || path === "/") {
      return (channel) => new ChannelConnection(this.endpoint, channel, { principal });
    }
    const [environment, sessions, callers] = [this.#environment, this.#openEnv, this.endpoint.resolver?.callers];
    if (path !== "/ws" || !environment || !sessions || !callers) return undefined;
    const sessionId = query.get("session_id");
    if (sessionId !== null) await sessions.prepare(sessionId, principal);
    return (channel) =>
      openEnvSocket(environment, channel, { sessions, callers, endpoint: this.endpoint, principal, sessionId });
  }

  /** True for the paths that clients use for every call or step, if no other process may have to answer. */
  isCallPath(path: string): boolean {
    if (this.#gate) return false;
    if (path === "/mcp" || path === "/mcp/" || path === "/mcp/execute") return true;
    return this.#trainer !== undefined && /^\/(step|reset|e\/[\w-]+\/mcp(\/execute)?)$/.test(path);
  }

  /** False in production, where every path is for agents. */
  isTrainerPath(path: string): boolean {
    return this.#trainer !== undefined && !/^\/(e\/[^/]+\/)?(mcp(\/.*)?|health)?$/.test(path);
  }

  /** Serves a request to one episode. If there is none, nothing is there: a client must not take it for a failed call. */
  #inEpisode(routed: RoutedRequest, { name, isExecute }: { name: string; isExecute: boolean }): void {
    const { redactor } = this.server;
    const fail = (error: unknown) => sendError(routed.response, asBiplaneError(error, "INTERNAL"), { redactor });
    const found = chain(this.endpoint.resolver?.findNamed(name, routed.principal), (episode) => {
      if (!episode) fail(unknownEpisode(name));
      else if (isExecute) this.#execute(routed, episode.id);
      else this.#mcp.handle(routed, episode.id);
    });
    if (found instanceof Promise) found.catch(fail);
  }

  #execute({ request, response, principal }: RoutedRequest, episode?: string): void {
    if (request.method !== "POST") return refuseMethod(response, "POST");
    const { resolver } = this.endpoint;
    const scopeOf: ScopeFinder | undefined =
      resolver && ((call, named) => resolver.scopeOfCall(call, episode ?? named));
    executeTool(this.server, { request, response, principal, maxBodyBytes: this.#maxBodyBytes, scopeOf });
  }

  /** Closing connections does not end stored episodes: their clients continue them elsewhere. */
  releaseEpisodes(): void {
    this.#environment?.episodes.release();
  }

  close(): void {
    this.endpoint.close();
    this.#sessions.close();
    this.#trainer?.close();
  }
}

/** A session of a server lives in one process if a tool keeps something for it. Another continues it without that. */
function sessionOwners(server: ServerCore): EpisodeOwners | undefined {
  const ownership = server.sessionOwnership;
  return ownership && new EpisodeOwners({ environment: server.name, isSaved: true, ...ownership });
}

export const defaultMaxSessions = 10_000;
