import { BiplaneError } from "../../errors.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import type { Task } from "../../environment/tasks.ts";
import type { Client } from "../client.ts";
import { ownName } from "../client-info.ts";
import { connect } from "../connect.ts";
import type { ToolInfo, ResourceInfo } from "../results.ts";
import { isListTools } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import { needsReset } from "./action-result.ts";
import { callRemoteTool, remoteCall } from "./call-remote-tool.ts";
import { ControlPlane, controlBase, defaultTimeouts, playbackTimeouts } from "./control-plane.ts";
import { authorizedHeaders } from "./connect-options.ts";
import type { ConnectEnvironmentOptions } from "./connect-options.ts";
import type {
  Connector,
  ControlPlaneFault,
  EnvironmentClient,
  EpisodeState,
  ResetOptions,
  ResetOutcome,
  StepOptions,
  StepOutcome,
} from "./environment-client.ts";
import { HttpClient } from "./http-client.ts";
import { SessionFetch } from "./session-fetch.ts";
import { keysWithin } from "../idempotent-calls.ts";
import { remoteTasks } from "./remote-tasks.ts";
import { ToolCache } from "./tool-cache.ts";
import { tryParseJson } from "../../bounds/parse-json.ts";

/** Connects to an Eval Protocol server: tools over MCP, rewards and status over its HTTP control plane. */
export function evalProtocolConnector(url: string, options: ConnectEnvironmentOptions): Connector {
  const shared: Shared = { url, options, http: new HttpClient(), tools: new ToolCache() };
  return {
    name: url,
    kind: "eval-protocol",
    open: () => new EvalProtocolClient(shared),
    close: async () => shared.http.close(),
  };
}

interface Shared {
  readonly url: string;
  readonly options: ConnectEnvironmentOptions;
  readonly http: HttpClient;
  readonly tools: ToolCache;
}

/** An MCP session and its control plane. Each episode has its own: only `initialize` carries seed and config. */
interface Session {
  readonly client: Client;
  readonly control: ControlPlane;
  readonly fetch: SessionFetch;
  readonly seed: number | bigint | null;
  tools: readonly ToolInfo[];
}

class EvalProtocolClient implements EnvironmentClient {
  readonly name: string;
  readonly kind = "eval-protocol";
  readonly #shared: Shared;
  readonly #releaseHttp: () => void;
  #session: Session | undefined;

  constructor(shared: Shared) {
    this.name = shared.url;
    this.#shared = shared;
    this.#releaseHttp = shared.http.share();
  }

  async reset(options: ResetOptions = {}): Promise<ResetOutcome> {
    const { signal, episodeId: sessionId = crypto.randomUUID() } = options;
    if (options.snapshot) throw this.#cannot("start from a snapshot");
    await this.#end();
    const session = await this.#open(sessionId, options);
    this.#session = session;
    const { client, control } = session;
    const tools = await this.#shared.tools.get(() => client.listTools({ signal }));
    session.tools = tools;
    const known = await control.initialState(signal);
    session.fetch.markStarted();
    signal?.throwIfAborted();
    if ("value" in known)
      return { observation: known.value, json: known.json, source: "control_plane", tools, faults: [] };
    return { ...(await initialStateFromResources(client, { sessionId, signal })), tools, faults: [known.fault] };
  }

  async step(action: EnvironmentAction, { signal }: StepOptions = {}): Promise<StepOutcome> {
    const session = this.#current;
    const { client, control, fetch, tools } = session;
    if (isListTools(action)) {
      session.tools = await client.listTools({ signal });
      return { observation: { tools: session.tools }, content: [], ...noStep };
    }
    const call = remoteCall(action, { name: this.name, has: (tool) => tools.some(({ name }) => name === tool) });
    const result = await callRemoteTool(client, call, signal);
    if (fetch.isLost)
      throw new BiplaneError("EXECUTION_ERROR", `The session at ${this.name} was lost, and its episode with it.`);
    const began = performance.now();
    const status = await control.readStatus(signal);
    const { terminated, truncated } = status;
    const controlPlaneMs = performance.now() - began;
    return { ...result, ...status, done: terminated || truncated, controlPlaneMs };
  }

  async state({ signal }: StepOptions = {}): Promise<EpisodeState> {
    const { control } = this.#current;
    const state = control.isAbsent ? "it has no control plane" : await control.state(signal);
    if (typeof state !== "string") return state;
    throw new BiplaneError("NOT_SUPPORTED", `${this.name} does not tell its state: ${state}.`);
  }

  async fork(): Promise<EnvironmentClient> {
    throw this.#cannot("fork an episode");
  }

  async snapshot(): Promise<Snapshot> {
    throw this.#cannot("save an episode");
  }

  tasks(split: string): Promise<readonly Task[]> {
    const { url, http, options } = this.#shared;
    return remoteTasks(controlBase(url), split, { http, options });
  }

  async close(): Promise<readonly ControlPlaneFault[]> {
    const faults = await this.#end();
    this.#releaseHttp();
    return faults;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<readonly ControlPlaneFault[]> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return [];
    const faults = await session.control.reset(session.seed);
    await session.client.close();
    return faults;
  }

  get #current(): Session {
    if (!this.#session) throw needsReset();
    return this.#session;
  }

  async #open(sessionId: string, options: ResetOptions): Promise<Session> {
    const { url, http, options: given } = this.#shared;
    const { headers = {}, bearer } = given;
    const { signal, seed = null, isPlayback } = options;
    const fetch = new SessionFetch();
    const client = await connect(url, {
      era: "legacy", // `initialize` carries the session data, and only the legacy era has it
      clientInfo: { ...ownName(), _extra: extraOf(sessionId, options) },
      headers,
      ...(bearer !== undefined && { bearer }),
      fetch: fetch.fetch,
      reconnect: { attempts: 1 },
      onWarning: () => undefined,
      ...(signal && { signal }),
    });
    fetch.takesKeys = keysWithin(client.capabilities) !== undefined;
    const timeouts = { ...(isPlayback ? playbackTimeouts : defaultTimeouts), ...given.timeouts };
    const control = new ControlPlane({
      base: controlBase(url),
      sessionId,
      headers: () => authorizedHeaders(given),
      http,
      timeouts,
      isReplicated: fetch.takesKeys,
    });
    return { client, control, fetch, seed, tools: [] };
  }

  #cannot(what: string): BiplaneError {
    const base = controlBase(this.name);
    return new BiplaneError(
      "NOT_SUPPORTED",
      `Eval Protocol cannot ${what}. If ${base} is a Biplane server, connect to ${base} instead.`,
    );
  }
}

const noStep = { reward: null, terminated: false, truncated: false, done: false, info: {}, faults: [] };

/** The session data that Eval Protocol's client sends in `clientInfo`. */
function extraOf(sessionId: string, { seed, config = {}, rowId, model }: ResetOptions): Record<string, unknown> {
  return {
    session_id: sessionId,
    ...(seed !== undefined && seed !== null && { seed: Number(seed) }),
    ...(Object.keys(config).length > 0 && { config }),
    ...(rowId !== undefined && { dataset_row_id: rowId }),
    ...(model !== undefined && { model_id: model }),
  };
}

/**
 * Fallback for the first observation without a control plane: the best matching resource, else a default text, as in
 * Eval Protocol.
 */
async function initialStateFromResources(
  client: Client,
  options: { sessionId: string; signal: AbortSignal | undefined },
): Promise<Pick<ResetOutcome, "observation" | "source">> {
  const { sessionId, signal } = options;
  try {
    const resources = await client.listResources({ signal });
    const chosen = resources.find(looksInitial) ?? resources[0];
    if (!chosen)
      return { observation: { observation: "default_initial_state", session_id: sessionId }, source: "default" };
    const { contents } = await client.readResource(chosen.uri, { signal });
    const [first] = contents;
    const text = first?.text;
    if (text === undefined) return { observation: { observation: JSON.stringify(first ?? null) }, source: "resource" };
    return { observation: tryParseJson(text, { otherwise: { observation: text } }), source: "resource" };
  } catch {
    signal?.throwIfAborted();
    return { observation: { observation: "initial_state", message: "Session established" }, source: "default" };
  }
}

function looksInitial({ name, uri }: ResourceInfo): boolean {
  return /initial|state|observation|start/i.test(`${name ?? ""} ${uri}`);
}
