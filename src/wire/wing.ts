import type { IncomingMessage, ServerResponse } from "node:http";
import { Environment } from "../environment/environment.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import type { Channel, ChannelListener } from "../transport/channel.ts";
import { sendJson } from "../transport/http.ts";
import { capabilities, execute } from "./execute/execute.ts";
import { defaultMaxBytes } from "./limits.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { HttpDoor } from "./mcp/http.ts";
import { HttpSessions } from "./mcp/http-sessions.ts";
import { Seating } from "./mcp/seating.ts";
import { OpenEnvSessions } from "./openenv/dialect.ts";
import { openEnvSocket } from "./openenv/open-socket.ts";
import { challenge } from "./protected-resource.ts";
import { TrainerDoors } from "./trainer.ts";

/** What can be served: a server, or one with episodes. */
export type Served = Server | Environment;

/** One server behind a port, with all its doors. */
export class Wing {
  readonly name: string;
  readonly server: Server;
  readonly endpoint: Endpoint;
  readonly #environment: Environment | undefined;
  readonly #sessions: HttpSessions;
  readonly #mcp: HttpDoor;
  readonly #openEnv: OpenEnvSessions | undefined;
  readonly #trainer: TrainerDoors | undefined;
  readonly #maxBodyBytes: number;

  constructor(served: Served, options: ServeOptions) {
    this.#environment = served instanceof Environment ? served : undefined;
    this.server = served instanceof Environment ? served.server : served;
    this.name = served.name;
    this.#maxBodyBytes = options.maxBodyBytes ?? defaultMaxBytes;
    const seating = this.#environment && new Seating(this.#environment.episodes);
    const isOpen = this.server.mode === "simulation";
    this.#openEnv = this.#environment && isOpen ? new OpenEnvSessions(this.#environment) : undefined;
    this.#trainer =
      this.#environment && seating && isOpen
        ? new TrainerDoors(this.#environment, seating, this.#maxBodyBytes)
        : undefined;
    const resource = options.authenticate?.resource;
    const lacking = (scopes: readonly string[], description: string) =>
      challenge(resource, { error: "insufficient_scope", description, scopes });
    this.endpoint = new Endpoint(this.server, {
      ...options,
      challenge: resource && lacking,
      seating,
      dialect: this.#openEnv?.dialect,
    });
    this.#sessions = new HttpSessions(this.endpoint, {
      idleMs: options.sessionIdleMs ?? 30 * 60_000,
      most: options.maxSessions ?? 10_000,
    });
    this.#mcp = new HttpDoor(this.endpoint, this.#sessions, this.#maxBodyBytes);
  }

  /** How many episodes there are. */
  get episodes(): number {
    return this.#environment?.episodes.size ?? 0;
  }

  /** Answers, or says false where there is no such door. */
  request(request: IncomingMessage, response: ServerResponse, path: string, principal: Principal): boolean {
    switch (path) {
      case "/mcp":
      case "/mcp/":
        this.#mcp.handle(request, response, principal);
        return true;
      case "/mcp/execute":
        this.#execute(request, response, principal);
        return true;
      case "/mcp/capabilities":
        if (request.method === "GET") capabilities(this.server, response);
        else response.writeHead(405, { allow: "GET" }).end();
        return true;
      case "/health":
        sendJson(response, 200, '{"status":"healthy"}');
        return true;
      default:
    }
    const [, episode, door] = /^\/e\/([\w-]+)\/mcp(\/execute)?\/?$/.exec(path) ?? [];
    if (episode !== undefined && this.#trainer) {
      if (door) this.#execute(request, response, principal, episode);
      else this.#mcp.handle(request, response, principal, episode);
      return true;
    }
    return this.#trainer?.handle(request, response, path, principal) ?? false;
  }

  /** Who listens to a socket at that path, if anyone does. */
  socket(
    path: string,
    query: URLSearchParams,
    principal: Principal,
  ): ((channel: Channel) => ChannelListener) | undefined {
    if (path === "/mcp" || path === "/mcp/" || path === "/") {
      return (channel) => new ChannelConnection(this.endpoint, channel, { principal });
    }
    if (path !== "/ws" || !this.#environment || !this.#openEnv) return undefined;
    const [environment, sessions] = [this.#environment, this.#openEnv];
    return (channel) =>
      openEnvSocket(environment, channel, {
        sessions,
        endpoint: this.endpoint,
        principal,
        sessionId: query.get("session_id"),
      });
  }

  /** Which doors are for trainers only. */
  isTrainerPath(path: string): boolean {
    return this.#environment !== undefined && !/^\/(e\/[\w-]+\/)?(mcp(\/.*)?|health)?$/.test(path);
  }

  #execute(request: IncomingMessage, response: ServerResponse, principal: Principal, episode?: string): void {
    if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
    const { seating } = this.endpoint;
    const scopeOf =
      seating && ((named: string | undefined) => seating.find(episode ?? named, 'say "episode" in the body'));
    execute(this.server, request, response, { principal, maxBodyBytes: this.#maxBodyBytes, scopeOf });
  }

  close(): void {
    this.endpoint.close();
    this.#sessions.close();
  }
}
