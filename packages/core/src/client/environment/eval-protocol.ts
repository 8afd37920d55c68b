import { BiplaneError } from "../../errors.ts";
import type { Client } from "../client.ts";
import { ownName } from "../client-info.ts";
import { connect } from "../connect.ts";
import type { ToolInfo, ResourceInfo } from "../results.ts";
import { isListTools } from "./action.ts";
import { needsReset } from "./action-result.ts";
import { callRemoteTool, remoteCall } from "./call-remote-tool.ts";
import { ControlPlane, controlBase, defaultTimeouts, playbackTimeouts } from "./control-plane.ts";
import { authorizedHeaders } from "./connect-options.ts";
import type { ConnectEnvironmentOptions } from "./connect-options.ts";
import type {
  Connector,
  ControlPlaneFault,
  EnvironmentClient,
  ResetOptions,
  ResetOutcome,
} from "./environment-client.ts";
import { SessionFetch } from "./session-fetch.ts";
import { keysWithin } from "../idempotent-calls.ts";
import { remoteTasks } from "./remote-tasks.ts";
import { sharedConnector } from "./shared-connection.ts";
import type { SharedConnection } from "./shared-connection.ts";
import { tryParseJson } from "../../bounds/parse-json.ts";

/** Connects to an Eval Protocol server: tools over MCP, rewards and status over its HTTP control plane. */
export function evalProtocolConnector(url: string, options: ConnectEnvironmentOptions): Connector {
  return sharedConnector({ url, kind: "eval-protocol", options }, openClient);
}

/** An MCP session and its control plane. Each episode has its own: only `initialize` carries seed and config. */
type Session = Awaited<ReturnType<typeof openSession>>;

function openClient(shared: SharedConnection): EnvironmentClient {
  const { url, http, options: connection } = shared;
  const releaseHttp = http.share();
  let session: Session | undefined;

  function current(): Session {
    if (!session) throw needsReset();
    return session;
  }

  async function end(): Promise<readonly ControlPlaneFault[]> {
    const ended = session;
    session = undefined;
    if (!ended) return [];
    const faults = await ended.control.reset(ended.seed);
    await ended.client.close();
    return faults;
  }

  async function close(): Promise<readonly ControlPlaneFault[]> {
    const faults = await end();
    releaseHttp();
    return faults;
  }

  async function cannot(what: string): Promise<never> {
    const base = controlBase(url);
    throw new BiplaneError(
      "NOT_SUPPORTED",
      `Eval Protocol cannot ${what}. If ${base} is a Biplane server, connect to ${base} instead.`,
    );
  }

  return {
    name: url,
    kind: "eval-protocol",
    async reset(options = {}) {
      const { signal, episodeId: sessionId = crypto.randomUUID() } = options;
      if (options.snapshot) return cannot("start from a snapshot");
      await end();
      const opened = await openSession(shared, sessionId, options);
      session = opened;
      const { client, control, fetch } = opened;
      const tools = await shared.listOnce(() => client.listTools({ signal }));
      opened.tools = tools;
      const known = await control.initialState(signal);
      fetch.markStarted();
      signal?.throwIfAborted();
      if ("value" in known)
        return { observation: known.value, json: known.json, source: "control_plane", tools, faults: [] };
      return { ...(await initialStateFromResources(client, { sessionId, signal })), tools, faults: [known.fault] };
    },
    async step(action, { signal } = {}) {
      const played = current();
      const { client, control, fetch, tools } = played;
      if (isListTools(action)) {
        played.tools = await client.listTools({ signal });
        return { observation: { tools: played.tools }, content: [], ...noStep };
      }
      const call = remoteCall(action, { name: url, has: (tool) => tools.some(({ name }) => name === tool) });
      const result = await callRemoteTool(client, call, signal);
      if (fetch.isLost)
        throw new BiplaneError("EXECUTION_ERROR", `The session at ${url} was lost, and its episode with it.`);
      const began = performance.now();
      const status = await control.readStatus(signal);
      const { terminated, truncated } = status;
      const controlPlaneMs = performance.now() - began;
      return { ...result, ...status, done: terminated || truncated, controlPlaneMs };
    },
    async state({ signal } = {}) {
      const { control } = current();
      const state = control.isAbsent ? "it has no control plane" : await control.state(signal);
      if (typeof state !== "string") return state;
      throw new BiplaneError("NOT_SUPPORTED", `${url} does not tell its state: ${state}.`);
    },
    fork: () => cannot("fork an episode"),
    snapshot: () => cannot("save an episode"),
    tasks: (split) => remoteTasks(controlBase(url), split, { http, options: connection }),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

async function openSession({ url, http, options: given }: SharedConnection, sessionId: string, options: ResetOptions) {
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
  return { client, control, fetch, seed, tools: [] as readonly ToolInfo[] };
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
