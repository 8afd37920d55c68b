import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import { ownName } from "../../client/client-info.ts";
import { BiplaneError } from "../../errors.ts";
import type { MakeOptions } from "../make.ts";
import { callOver } from "./call-over.ts";
import { ControlPlane, controlBase, defaultTimeouts } from "./control-plane.ts";
import type { Timeouts } from "./control-plane.ts";
import type { Acted, Action, Beginning, Door, DoorMaker, Fault, Judgement, Visit } from "./door.ts";
import { HttpLine } from "./exchange.ts";
import { initialStateFromResources } from "./initial-state.ts";
import { SessionFetch } from "./session-fetch.ts";
import { ToolCache } from "./tool-cache.ts";

/** Doors to a server of Eval Protocol's two planes: tools over MCP, and beside it rewards and endings over HTTP. */
export function evalProtocolDoors(url: string, options: MakeOptions): DoorMaker {
  const shared: Shared = {
    url,
    headers: options.headers ?? {},
    bearer: options.bearer,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    line: new HttpLine(),
    tools: new ToolCache(),
  };
  return {
    name: url,
    kind: "eval-protocol",
    open: (visit) => new EvalProtocolDoor(shared, visit),
    close: async () => shared.line.close(),
  };
}

interface Shared {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: MakeOptions["bearer"];
  readonly timeouts: Timeouts;
  readonly line: HttpLine;
  readonly tools: ToolCache;
}

class EvalProtocolDoor implements Door {
  readonly #shared: Shared;
  readonly #visit: Visit;
  readonly #control: ControlPlane;
  readonly #session = new SessionFetch();
  #client: Client | undefined;
  #isReset = true;

  constructor(shared: Shared, visit: Visit) {
    this.#shared = shared;
    this.#visit = visit;
    const { url, line, timeouts } = shared;
    const base = controlBase(url);
    this.#control = new ControlPlane({
      base,
      sessionId: visit.sessionId,
      headers: () => this.#headers(),
      line,
      timeouts,
    });
  }

  async start(signal: AbortSignal): Promise<Beginning> {
    const { url, headers, bearer, tools } = this.#shared;
    const client = await connect(url, {
      era: "legacy", // the greeting carries the session, and only the older era greets
      clientInfo: { ...ownName(), _extra: extraOf(this.#visit) },
      headers,
      ...(bearer !== undefined && { bearer }),
      fetch: this.#session.fetch,
      reconnect: { attempts: 1 },
      onWarning: () => undefined,
      signal,
    });
    this.#client = client;
    this.#isReset = false;
    const definitions = await tools.of(url, client);
    const known = await this.#control.initialState(signal);
    signal.throwIfAborted();
    if ("value" in known) {
      const { value: observation, exact } = known;
      const python = this.#visit.style === "python" && { exact };
      return { observation, ...python, source: "control_plane", tools: definitions, faults: [] };
    }
    const { sessionId } = this.#visit;
    const found = await initialStateFromResources(client, { sessionId, signal });
    return { ...found, tools: definitions, faults: [known.fault] };
  }

  async act(action: Action, signal: AbortSignal): Promise<Acted> {
    if (!this.#client) throw new BiplaneError("INTERNAL", "the session has not begun, or was ended");
    const acted = await callOver(this.#client, action, { ...this.#visit, signal });
    if (this.#session.count > 1)
      throw new BiplaneError("EXECUTION_ERROR", `the session at ${this.#shared.url} was lost, and with it the episode`);
    return acted;
  }

  judge(signal: AbortSignal): Promise<Judgement> {
    return this.#control.judge(signal);
  }

  async end(): Promise<readonly Fault[]> {
    const client = this.#client;
    this.#client = undefined;
    if (!client || this.#isReset) return [];
    this.#isReset = true;
    const faults = await this.#control.reset(this.#visit.setup.seed, new AbortController().signal);
    await client.close();
    return faults;
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    const { bearer, headers } = this.#shared;
    if (bearer === undefined) return headers;
    return { ...headers, authorization: `Bearer ${typeof bearer === "string" ? bearer : await bearer()}` };
  }
}

/** What Eval Protocol's client says of a session in its greeting. */
function extraOf({ setup, sessionId, model }: Visit): Readonly<Record<string, unknown>> {
  const { seed, context, id } = setup;
  return {
    session_id: sessionId,
    ...(seed !== null && { seed: Number(seed) }),
    ...(Object.keys(context).length > 0 && { config: context }),
    dataset_row_id: id,
    model_id: model,
  };
}
