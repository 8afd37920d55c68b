import { randomUUID } from "node:crypto";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Seat } from "../../environment/seat.ts";
import { BiplaneError } from "../../errors.ts";
import { agentContext } from "../agent.ts";
import type { Dialect, Method } from "../mcp/endpoint.ts";
import type { Answer, Exchange } from "../mcp/exchange.ts";
import { toolResult } from "./payload.ts";
import { capacityOf } from "./socket.ts";

/**
 * OpenEnv's own way of using `/mcp`: sessions made by a method, named in `params.session_id`, and a socket that may
 * attach to one. A call is a step here as everywhere.
 */
export class OpenEnvSessions {
  readonly #environment: Environment;
  readonly #seats = new Map<string, Seated>();
  readonly #idleMs: number;
  /** Runs while there are sessions, for those that nobody comes back to. */
  #sweeper: NodeJS.Timeout | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#idleMs = environment.rules.options.idleMs ?? 30 * 60_000;
  }

  /** The methods of this dialect; undefined where a request is plain MCP. */
  readonly dialect: Dialect = ({ method, params }) => {
    if (method === "openenv/session/create") return () => this.#create();
    if (method === "openenv/session/close") return (_, exchange) => this.#close(exchange);
    if (params["session_id"] === undefined) return undefined;
    if (method === "tools/call") return (_, exchange) => this.#call(exchange);
    return method === "tools/list" ? this.#list : undefined;
  };

  /** Gives a session's seat to a socket, or says why not. */
  attach(id: string): { seat: Seat; detach: () => void } | string {
    const session = this.#seats.get(id);
    if (!session) return `Unknown session_id: ${id.slice(0, 64)}`;
    if (session.attached) return `Session ${id} has a socket already`;
    session.attached = true;
    return {
      seat: session.seat,
      detach: () => {
        session.attached = false;
        session.leftAt = Date.now();
        if (session.closing) this.#end(id, session.seat);
      },
    };
  }

  async #create(): Promise<Answer> {
    const seat = this.#environment.episodes.seat();
    try {
      await seat.episode();
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      const data = error.code === "CAPACITY" ? capacityOf(error) : { factory_name: this.#environment.name };
      return { fault: { code: -32000, message: error.message, data } };
    }
    const id = randomUUID();
    this.#seats.set(id, { seat, attached: false, closing: false, leftAt: Date.now() });
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.max(10, Math.min(this.#idleMs / 2, 60_000))).unref();
    return result({ session_id: id });
  }

  #close({ params }: Exchange): Answer {
    const { session_id: id } = params;
    if (typeof id !== "string") return fault(-32602, "Invalid params - 'session_id' is required");
    const session = this.#seats.get(id);
    if (!session) return fault(-32602, `Unknown session_id: ${id.slice(0, 64)}`);
    if (session.attached) {
      session.closing = true;
      return result({ session_id: id, closed: false, closing: true });
    }
    this.#end(id, session.seat);
    return result({ session_id: id, closed: true });
  }

  readonly #list: Method = (endpoint, exchange) => {
    const session = this.#seats.get(String(exchange.params["session_id"]));
    return session
      ? endpoint.lists.page("tools", exchange)
      : fault(-32602, `Unknown session_id: ${String(exchange.params["session_id"]).slice(0, 64)}`);
  };

  async #call(exchange: Exchange): Promise<Answer> {
    const { session_id: id, name, arguments: input = {}, timeout_s: timeout } = exchange.params;
    const session = this.#seats.get(String(id));
    if (!session) return fault(-32602, `Unknown session_id: ${String(id).slice(0, 64)}`);
    if (typeof name !== "string") return fault(-32602, "Missing 'name' in params");
    const { principal, client } = exchange;
    const scope = (): Episode | Promise<Episode> => session.seat.episode();
    const call = new LiveCall({
      tool: name,
      input,
      route: "mcp",
      agent: agentContext(undefined, client.name),
      principal,
      scope,
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

  #answer(outcome: Outcome, name: string): Answer {
    if (outcome.status === "done") return result(toolResult(outcome));
    if (outcome.status === "suspended") return fault(-32603, `${name} asks questions`);
    const { code, message } = outcome.error;
    return fault(code === "TOOL_NOT_FOUND" || code === "INVALID_INPUT" ? -32602 : -32603, message);
  }

  #end(id: string, seat: Seat): void {
    this.#seats.delete(id);
    void seat.close();
    if (this.#seats.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /** Clients that died never close their sessions. */
  #sweep(): void {
    const now = Date.now();
    for (const [id, { seat, attached, leftAt }] of this.#seats) {
      if (!attached && now - Math.max(leftAt, seat.current?.lastUsed ?? 0) >= this.#idleMs) this.#end(id, seat);
    }
  }
}

interface Seated {
  readonly seat: Seat;
  /** Whether a socket sits in it. */
  attached: boolean;
  closing: boolean;
  leftAt: number;
}

function result(value: object): Answer {
  return { result: JSON.stringify(value) };
}

function fault(code: number, message: string): Answer {
  return { fault: { code, message } };
}
