import { callerOf } from "../../call/caller-of.ts";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { CallerEpisodes } from "../../environment/caller-episodes.ts";
import type { Environment } from "../../environment/environment.ts";
import type { EpisodeSlot } from "../../environment/episode-slot.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { isRecord } from "../../is-record.ts";
import { agentContext } from "../agent.ts";
import { retryMarks } from "../retry-key.ts";
import type { Endpoint, McpDialect } from "../mcp/endpoint.ts";
import type { McpAnswer, Exchange } from "../mcp/exchange.ts";
import { openEnvToolResult } from "./payload.ts";
import { capacityOf } from "./socket.ts";

/**
 * OpenEnv's sessions over `/mcp`: a method creates one, `params.session_id` names it, and a socket may attach to it.
 * A call in a session is a step.
 */
export class OpenEnvSessions {
  readonly #environment: Environment;
  readonly #callers: CallerEpisodes;
  readonly #sessions = new Map<string, OpenEnvSession>();
  /** The session id of a socket. */
  readonly #idsOfSockets = new WeakMap<object, string>();
  readonly #idleMs: number;
  /** Ends abandoned sessions; runs while there are any. */
  #sweeper: NodeJS.Timeout | undefined;

  constructor(environment: Environment, callers: CallerEpisodes) {
    this.#environment = environment;
    this.#callers = callers;
    this.#idleMs = environment.rules.options.idleMs ?? 30 * 60_000;
  }

  readonly dialect: McpDialect = ({ method, params }) => {
    if (method === "openenv/session/create") return (_, exchange) => this.#create(exchange);
    if (method === "openenv/session/close") return (_, exchange) => this.#close(exchange);
    if (params["session_id"] === undefined) return undefined;
    if (method === "tools/call") return (_, exchange) => this.#call(exchange);
    return method === "tools/list" ? (endpoint, exchange) => this.#list(endpoint, exchange) : undefined;
  };

  /** Attaches a socket to a session. Returns a message if that is not possible, else a function that detaches it. */
  attach(socket: object, { id, principal }: { id: string; principal: Principal }): string | (() => void) {
    const session = this.#findHere(id, principal);
    if (!session) return unknownSession(id);
    if (session.isAttached) return `Session ${id} already has a socket`;
    session.isAttached = true;
    this.#callers.share(socket, session.slot);
    this.#idsOfSockets.set(socket, id);
    return () => {
      session.isAttached = false;
      session.leftAt = Date.now();
      if (session.isClosing) this.#end(id, session);
    };
  }

  /** Creates a session. Over a socket, returns the session of the socket. */
  async #create({ slotKey: socket, principal }: Exchange): Promise<McpAnswer> {
    if (socket) return result({ session_id: this.#idOfSocket(socket, principal) });
    const id = this.#environment.episodes.newId();
    const slot = this.#callers.open({}, principal, { name: this.#nameOf(id, principal) });
    try {
      await slot.episode();
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      const data = error.code === "CAPACITY" ? capacityOf(error) : { factory_name: this.#environment.name };
      return { fault: { code: -32000, message: error.message, data } };
    }
    this.#add(id, { slot, principal, isOfSocket: false });
    return result({ session_id: id });
  }

  #idOfSocket(socket: object, principal: Principal): string {
    const known = this.#idsOfSockets.get(socket);
    if (known !== undefined) return known;
    const id = this.#environment.episodes.newId();
    this.#add(id, { slot: this.#callers.slotOf(socket, principal), principal, isOfSocket: true });
    this.#idsOfSockets.set(socket, id);
    return id;
  }

  #add(id: string, session: Pick<OpenEnvSession, "slot" | "principal" | "isOfSocket">): void {
    const { isOfSocket } = session;
    this.#sessions.set(id, { ...session, isAttached: isOfSocket, isClosing: false, leftAt: Date.now() });
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.max(10, Math.min(this.#idleMs / 2, 60_000))).unref();
  }

  /** Looks up a session that another process may have created, so that a socket can attach to it. */
  async prepare(id: string, principal: Principal): Promise<void> {
    await this.#find(id, principal);
  }

  async #find(id: unknown, principal: Principal): Promise<OpenEnvSession | undefined> {
    if (typeof id !== "string") return undefined;
    const { names } = this.#environment.episodes;
    if (names && !this.#sessions.get(id)?.isOfSocket) {
      const name = this.#nameOf(id, principal);
      if ((await names.get(name)) !== undefined) this.#restore(id, { name, principal });
      else this.#sessions.delete(id); // another process has closed it
    }
    return this.#findHere(id, principal);
  }

  #restore(id: string, { name, principal }: { name: string; principal: Principal }): void {
    if (this.#sessions.has(id)) return; // another request was faster
    this.#add(id, { slot: this.#callers.open({}, principal, { name }), principal, isOfSocket: false });
  }

  /** In production, callers are agents, and a session belongs to the one that created it. */
  #findHere(id: string, principal: Principal): OpenEnvSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || session.slot.isClosed) return undefined;
    const isOwn = session.principal.kind === principal.kind && session.principal.id === principal.id;
    return isOwn || this.#environment.server.mode === "simulation" ? session : undefined;
  }

  #nameOf(id: string, principal: Principal): string {
    return this.#environment.server.mode === "simulation" ? `openenv ${id}` : `openenv ${id} of ${callerOf(principal)}`;
  }

  async #close({ params, principal }: Exchange): Promise<McpAnswer> {
    const { session_id: id } = params;
    if (typeof id !== "string") return fault(-32602, "Invalid params - 'session_id' is required");
    const session = await this.#find(id, principal);
    if (!session) return fault(-32602, unknownSession(id));
    if (session.isOfSocket) return fault(-32600, "Cannot close active WebSocket-managed session via MCP method");
    if (session.isAttached) {
      session.isClosing = true;
      return result({ session_id: id, closed: false, closing: true });
    }
    await session.slot.close();
    this.#end(id, session, { isLeft: true });
    return result({ session_id: id, closed: true });
  }

  async #list(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { session_id: id } = exchange.params;
    return (await this.#find(id, exchange.principal))
      ? endpoint.lists.page("tools", exchange)
      : fault(-32602, unknownSession(id));
  }

  async #call(exchange: Exchange): Promise<McpAnswer> {
    const { session_id: id, name, arguments: input = {}, timeout_s: timeout, _meta: meta } = exchange.params;
    const { principal, client } = exchange;
    const session = await this.#find(id, principal);
    if (!session) return fault(-32602, unknownSession(id));
    if (typeof name !== "string") return fault(-32602, "Missing 'name' in params");
    const call = new LiveCall({
      tool: name,
      input,
      route: "mcp",
      agent: agentContext(undefined, client.name),
      principal,
      scope: (live) => session.slot.episode(live),
      ...retryMarks(isRecord(meta) ? meta : {}, exchange.retryKey),
    });
    exchange.running = call;
    const timer =
      typeof timeout === "number"
        ? setTimeout(
            () => call.stop(new BiplaneError("TIMEOUT", `Tool '${name}' timed out after ${timeout} seconds`)),
            timeout * 1000,
          )
        : undefined;
    const outcome = await this.#environment.server.perform(call);
    clearTimeout(timer);
    return this.#answer(outcome, name);
  }

  #answer(outcome: Outcome, name: string): McpAnswer {
    if (outcome.status === "done") return result(openEnvToolResult(outcome));
    if (outcome.status === "suspended") return fault(-32603, `${name} asks questions, which OpenEnv does not support`);
    const { code, message } = outcome.error;
    return fault(code === "TOOL_NOT_FOUND" || code === "INVALID_INPUT" ? -32602 : -32603, message);
  }

  #end(id: string, { slot, isOfSocket }: OpenEnvSession, { isLeft = false } = {}): void {
    this.#sessions.delete(id);
    if (!isOfSocket && !isLeft) slot.closeInBackground();
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /** Clients that crash never close their sessions. */
  #sweep(): void {
    const now = Date.now();
    for (const [id, session] of this.#sessions) {
      const { slot, isAttached, leftAt } = session;
      const isAbandoned = !isAttached && now - Math.max(leftAt, slot.current?.lastUsed ?? 0) >= this.#idleMs;
      // Another process may serve it.
      const isLeft = this.#environment.episodes.names !== undefined;
      if (slot.isClosed || isAbandoned) this.#end(id, session, { isLeft });
    }
  }
}

interface OpenEnvSession {
  readonly slot: EpisodeSlot;
  readonly principal: Principal;
  /** True if it ends with its socket. */
  readonly isOfSocket: boolean;
  /** True while a socket uses it. */
  isAttached: boolean;
  isClosing: boolean;
  leftAt: number;
}

function unknownSession(id: unknown): string {
  return `Unknown session_id: ${String(id).slice(0, 64)}`;
}

function result(value: object): McpAnswer {
  return { result: JSON.stringify(value) };
}

function fault(code: number, message: string): McpAnswer {
  return { fault: { code, message } };
}
