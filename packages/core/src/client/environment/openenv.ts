import { randomUUID } from "node:crypto";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { ToolInfo } from "../results.ts";
import { isCallTool, isListTools, listTools } from "./action.ts";
import { failedAction, needsReset } from "./action-result.ts";
import { authorizedHeaders } from "./connect-options.ts";
import type { ConnectEnvironmentOptions } from "./connect-options.ts";
import type { Connector, ControlPlaneFault, EnvironmentClient, ResetOutcome } from "./environment-client.ts";
import { repeatWhileBusy } from "../idempotent-calls.ts";
import { openEnvOverHttp } from "./openenv-http.ts";
import { readReset, readStatus, readStep, readTools, typedAction, typedTool } from "./openenv-payload.ts";
import { openEnvOverSocket } from "./openenv-socket.ts";
import { remoteTasks } from "./remote-tasks.ts";
import { requestJson } from "./request-json.ts";
import { isUnanswered, sendUntilAnswered } from "./send-until-answered.ts";
import { sharedConnector } from "./shared-connection.ts";
import type { SharedConnection } from "./shared-connection.ts";

/** Connects to an OpenEnv server: one WebSocket per client, one message per step. */
export function openEnvConnector(base: string, options: ConnectEnvironmentOptions): Connector {
  return sharedConnector({ url: base, kind: "openenv", options }, (shared) => openClient(shared, undefined));
}

/** How frames reach the server. Errors that the server answered with have its code or status in `details`. */
export interface OpenEnvTransport {
  readonly isOpen: boolean;
  /** True if each request needs an episode of its own, also one that only lists tools. */
  readonly isStateless: boolean;
  /** True if a request that was not answered may be sent again, to another server. */
  readonly isLost: boolean;
  reset(data: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject>;
  step(action: object, signal: AbortSignal | undefined): Promise<JsonObject>;
  state(signal: AbortSignal | undefined): Promise<JsonObject>;
  close(): Promise<void>;
}

/** A client that has yet to start an episode, or that goes on with one of the server's. */
function openClient(shared: SharedConnection, startedId: string | undefined): EnvironmentClient {
  const { url: base, options } = shared;
  const releaseHttp = shared.http.share();
  let transport: OpenEnvTransport | undefined;
  /** What the server calls the episode. Only a Biplane server tells. */
  let episodeId: string | undefined;
  let hasEpisode = false;
  /** Reward and status of the last step. */
  let last = readStatus({});
  if (startedId !== undefined) playHttp(startedId);

  function begin(opened: OpenEnvTransport, id: string | undefined): void {
    transport = opened;
    episodeId = id;
    hasEpisode = true;
    last = readStatus({});
  }

  function playHttp(id: string): void {
    begin(openEnvOverHttp(shared, id), id);
  }

  function current(): OpenEnvTransport {
    if (!hasEpisode || !transport) throw needsReset();
    return transport;
  }

  /**
   * The open transport, or a new one. A socket keeps its session over many resets. The episode of a lost socket goes on
   * over HTTP.
   */
  async function open(signal: AbortSignal | undefined): Promise<OpenEnvTransport> {
    if (transport?.isOpen) return transport;
    if (hasEpisode && episodeId !== undefined) return (transport = openEnvOverHttp(shared, episodeId));
    hasEpisode = false; // It was that of the lost connection.
    if (options.transport === "http") return (transport = openEnvOverHttp(shared));
    const headers = await authorizedHeaders(options);
    return (transport = await openEnvOverSocket(base, { headers, signal }));
  }

  async function end(): Promise<readonly ControlPlaneFault[]> {
    const ended = transport;
    transport = undefined;
    hasEpisode = false;
    try {
      await ended?.close();
      return [];
    } catch (error) {
      return [{ what: "close", why: messageOf(error) }];
    }
  }

  async function close(): Promise<readonly ControlPlaneFault[]> {
    const faults = await end();
    releaseHttp();
    return faults;
  }

  /** A socket begins with an episode of its own, so a restored one is played over HTTP. */
  async function restore(snapshot: Snapshot, signal: AbortSignal | undefined): Promise<ResetOutcome> {
    await end();
    const url = `${base}/control/episodes`;
    const { body: episode } = await requestJson(url, { ...shared, method: "POST", body: { snapshot }, signal });
    const { id, observation, seed } = isRecord(episode) ? episode : {};
    playHttp(String(id));
    const known = typeof seed === "number" || typeof seed === "string" ? { seed: String(seed) } : {};
    return { observation, source: "environment", tools: await knownTools(signal), ...known, faults: [] };
  }

  /**
   * Sends a step, and sends it again if the server died meanwhile: another one with the same store continues the
   * episode. The key makes it one step, however often it arrives. Other servers than Biplane's know no episode by its id.
   */
  async function stepOnce(action: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const opened = current();
    const id = episodeId;
    if (id === undefined) return opened.step(action, signal);
    const { metadata } = action as { metadata?: unknown };
    const sent = { ...action, metadata: { ...(isRecord(metadata) && metadata), idempotency_key: randomUUID() } };
    try {
      return await repeatWhileBusy(() => opened.step(sent, signal), signal);
    } catch (error) {
      if (!isUnanswered(error) || !opened.isLost) throw error;
      return stepElsewhere(sent, { id, signal, lost: error });
    }
  }

  /** Makes the step on any server that continues the episode. `lost` is the error if there is none. */
  async function stepElsewhere(
    action: object,
    { id, signal, lost }: { id: string; signal: AbortSignal | undefined; lost: unknown },
  ): Promise<JsonObject> {
    const other = openEnvOverHttp(shared, id);
    try {
      const payload = await sendUntilAnswered(() => other.step(action, signal), signal);
      transport = other;
      return payload;
    } catch (error) {
      const isUnknown = error instanceof BiplaneError && error.details?.["status"] === 404;
      throw isUnknown || isUnanswered(error) ? lost : error;
    }
  }

  /** Asks the server's control plane about the episode. Only Biplane servers have this one. */
  async function control(path: string, request: { method: "GET" | "POST"; body?: JsonObject }): Promise<unknown> {
    if (!hasEpisode) throw needsReset();
    const cannot = (cause?: unknown) =>
      new BiplaneError("NOT_SUPPORTED", `${base} cannot save or fork episodes.`, { cause });
    if (episodeId === undefined) throw cannot();
    const url = `${base}/control/episodes/${encodeURIComponent(episodeId)}${path}`;
    try {
      return (await requestJson(url, { ...shared, ...request })).body;
    } catch (error) {
      const isMissing = error instanceof BiplaneError && [404, 405].includes(Number(error.details?.["status"]));
      throw isMissing ? cannot(error) : error;
    }
  }

  function knownTools(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    return shared.listOnce(() => listAll(signal));
  }

  /** Lists the server's tools. An environment with a typed action has it as its only tool. */
  async function listAll(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    const { body } = await requestJson(`${base}/schema`, { ...shared, method: "GET", signal });
    const action = isRecord(body) && isRecord(body["action"]) ? body["action"] : {};
    const properties = isRecord(action["properties"]) ? action["properties"] : {};
    if (!("tool_name" in properties)) return [typedTool(action)];
    return readTools(await (await open(signal)).step(listTools(), signal));
  }

  return {
    name: base,
    kind: "openenv",
    async reset({ seed, config, snapshot, episodeId: wanted, signal } = {}) {
      if (snapshot) return restore(snapshot, signal);
      if (!transport?.isOpen) hasEpisode = false;
      const opened = await open(signal);
      const early = opened.isStateless ? undefined : await knownTools(signal);
      const data = {
        ...config,
        ...(seed !== undefined && seed !== null && { seed: Number(seed) }),
        ...(wanted !== undefined && { episode_id: wanted }),
      };
      const { observation, id } = readReset(await opened.reset(data, signal));
      begin(opened, id);
      return { observation, source: "environment", tools: early ?? (await knownTools(signal)), faults: [] };
    },
    async step(action, { signal } = {}) {
      if (isListTools(action)) {
        await open(signal);
        return { observation: { tools: await listAll(signal) }, content: [], ...last, reward: null };
      }
      current();
      const isAct = isCallTool(action) && action.tool_name === typedAction;
      const isTyped = isAct && (await knownTools(signal)).some(({ name }) => name === typedAction);
      try {
        const payload = await stepOnce(isTyped ? action.arguments : action, signal);
        last = readStatus(payload);
        return readStep(payload, { isToolCall: isCallTool(action) && !isTyped });
      } catch (error) {
        if (!isAnswer(error)) throw error;
        return { ...last, reward: 0, parts: undefined, faults: [], ...failedAction(error) }; // not a step
      }
    },
    async state({ signal } = {}) {
      const { episode_id: id, step_count: count, ...own } = await current().state(signal);
      const stepCount = typeof count === "number" ? count : 0;
      return { ...own, episodeId: typeof id === "string" ? id : null, stepCount };
    },
    async fork() {
      const body = await control("/fork", { method: "POST", body: {} });
      const [episode] = isRecord(body) && Array.isArray(body["episodes"]) ? (body["episodes"] as unknown[]) : [];
      return openClient(shared, String(isRecord(episode) ? episode["id"] : undefined));
    },
    snapshot: async () => (await control("/snapshot", { method: "GET" })) as Snapshot,
    tasks: (split) => remoteTasks(base, split, shared),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

/** True if the server answered that the action failed; the episode goes on. */
function isAnswer(error: unknown): error is BiplaneError {
  if (!(error instanceof BiplaneError)) return false;
  const { code, details } = error;
  return (details?.["code"] !== undefined || details?.["status"] !== undefined) && answers.includes(code);
}

const answers: readonly ErrorCode[] = ["INVALID_INPUT", "EXECUTION_ERROR", "EPISODE_ENDED", "TIMEOUT"];
