import type { CallLog, LoggedCall } from "../calls/call-log.ts";
import { OutcomeCount } from "../calls/outcome-count.ts";

/** A caller without an MCP session, as far as its calls show it. */
export interface StatelessClient {
  readonly id: string;
  readonly principal: LoggedCall["principal"];
  readonly agent: string;
  readonly model: string | undefined;
  readonly route: LoggedCall["route"];
  readonly server: string;
  readonly firstAt: number;
  lastAt: number;
  readonly count: OutcomeCount;
}

/** The identities that called this process without a session. Those that called least recently are forgotten first. */
export class StatelessClients {
  readonly #clients = new Map<string, StatelessClient>();

  constructor(log: Pick<CallLog, "onCall">) {
    log.onCall((call) => {
      if (call.session === undefined && !ownRoutes.has(call.route)) this.#add(call);
    });
  }

  list(): readonly StatelessClient[] {
    return [...this.#clients.values()];
  }

  #add({ principal, agent, route, server, outcome, at }: LoggedCall): void {
    const id = JSON.stringify([principal.kind, principal.id, agent.agentId, route, server]);
    const known = this.#clients.get(id);
    const client: StatelessClient = known ?? {
      id,
      principal,
      agent: agent.agentId,
      model: agent.model,
      route,
      server,
      firstAt: at,
      lastAt: at,
      count: new OutcomeCount(),
    };
    client.count.addOutcome(outcome);
    // The map is in the order of last use, updated at most once a second.
    if (known && at - known.lastAt < 1000) return;
    client.lastAt = at;
    this.#clients.delete(id);
    this.#clients.set(id, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
  }
}

/** Calls that code makes within another call, and those of people on the page. */
const ownRoutes: ReadonlySet<string> = new Set(["code", "people", "app"]);

const maxClients = 1000;
