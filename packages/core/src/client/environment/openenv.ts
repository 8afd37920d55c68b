import { randomUUID } from "node:crypto";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import type { Task } from "../../environment/tasks.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { ToolInfo } from "../results.ts";
import { isCallTool, isListTools, listTools } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import { failedAction, needsReset } from "./action-result.ts";
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
import { repeatWhileBusy } from "../idempotent-calls.ts";
import { HttpClient } from "./http-client.ts";
import { OpenEnvHttpTransport } from "./openenv-http.ts";
import { readReset, readStatus, readStep, readTools, typedAction, typedTool } from "./openenv-payload.ts";
import { OpenEnvSocketTransport } from "./openenv-socket.ts";
import { remoteTasks } from "./remote-tasks.ts";
import { requestJson } from "./request-json.ts";
import { isUnanswered, sendUntilAnswered } from "./send-until-answered.ts";
import { ToolCache } from "./tool-cache.ts";

/** Connects to an OpenEnv server: one WebSocket per client, one message per step. */
export function openEnvConnector(base: string, options: ConnectEnvironmentOptions): Connector {
  const shared: Shared = { base, options, http: new HttpClient(), tools: new ToolCache() };
  return {
    name: base,
    kind: "openenv",
    open: () => new OpenEnvClient(shared),
    close: async () => shared.http.close(),
  };
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

interface Shared {
  readonly base: string;
  readonly options: ConnectEnvironmentOptions;
  readonly http: HttpClient;
  readonly tools: ToolCache;
}

class OpenEnvClient implements EnvironmentClient {
  readonly name: string;
  readonly kind = "openenv";
  readonly #shared: Shared;
  readonly #releaseHttp: () => void;
  #transport: OpenEnvTransport | undefined;
  /** What the server calls the episode. Only a Biplane server tells. */
  #episodeId: string | undefined;
  #hasEpisode = false;
  /** Reward and status of the last step. */
  #last = readStatus({});

  constructor(shared: Shared) {
    this.name = shared.base;
    this.#shared = shared;
    this.#releaseHttp = shared.http.share();
  }

  async reset(options: ResetOptions = {}): Promise<ResetOutcome> {
    const { seed, config, snapshot, episodeId, signal } = options;
    if (snapshot) return this.#restore(snapshot, signal);
    if (!this.#transport?.isOpen) this.#hasEpisode = false;
    const transport = await this.#open(signal);
    const early = transport.isStateless ? undefined : await this.#tools(signal);
    const data = {
      ...config,
      ...(seed !== undefined && seed !== null && { seed: Number(seed) }),
      ...(episodeId !== undefined && { episode_id: episodeId }),
    };
    const { observation, id } = readReset(await transport.reset(data, signal));
    this.#begin(transport, id);
    const tools = early ?? (await this.#tools(signal));
    return { observation, source: "environment", tools, faults: [] };
  }

  async step(action: EnvironmentAction, { signal }: StepOptions = {}): Promise<StepOutcome> {
    if (isListTools(action)) {
      await this.#open(signal);
      return { observation: { tools: await this.#listTools(signal) }, content: [], ...this.#last, reward: null };
    }
    if (!this.#hasEpisode || !this.#transport) throw needsReset();
    const isTyped = isCallTool(action) && action.tool_name === typedAction && (await this.#isTyped(signal));
    const sent = isTyped ? action.arguments : action;
    try {
      const payload = await this.#stepOnce(this.#transport, sent, signal);
      this.#last = readStatus(payload);
      return readStep(payload, { isToolCall: isCallTool(action) && !isTyped });
    } catch (error) {
      if (!isAnswer(error)) throw error;
      return { ...this.#last, reward: 0, parts: undefined, faults: [], ...failedAction(error) }; // not a step
    }
  }

  /**
   * Sends a step, and sends it again if the server died meanwhile: another one with the same store continues the
   * episode. The key makes it one step, however often it arrives. Other servers than Biplane's know no episode by its id.
   */
  async #stepOnce(transport: OpenEnvTransport, action: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const id = this.#episodeId;
    if (id === undefined) return transport.step(action, signal);
    const { metadata } = action as { metadata?: unknown };
    const sent = { ...action, metadata: { ...(isRecord(metadata) && metadata), idempotency_key: randomUUID() } };
    try {
      return await repeatWhileBusy(() => transport.step(sent, signal), signal);
    } catch (error) {
      if (!isUnanswered(error) || !transport.isLost) throw error;
      return this.#stepElsewhere(sent, { id, signal, lost: error });
    }
  }

  /** Makes the step on any server that continues the episode. `lost` is the error if there is none. */
  async #stepElsewhere(
    action: object,
    { id, signal, lost }: { id: string; signal: AbortSignal | undefined; lost: unknown },
  ): Promise<JsonObject> {
    const transport = new OpenEnvHttpTransport(this.name, this.#shared, id);
    try {
      const payload = await sendUntilAnswered(() => transport.step(action, signal), signal);
      this.#transport = transport;
      return payload;
    } catch (error) {
      const isUnknown = error instanceof BiplaneError && error.details?.["status"] === 404;
      throw isUnknown || isUnanswered(error) ? lost : error;
    }
  }

  async state({ signal }: StepOptions = {}): Promise<EpisodeState> {
    if (!this.#hasEpisode || !this.#transport) throw needsReset();
    const { episode_id: id, step_count: count, ...own } = await this.#transport.state(signal);
    return { ...own, episodeId: typeof id === "string" ? id : null, stepCount: typeof count === "number" ? count : 0 };
  }

  async fork(): Promise<EnvironmentClient> {
    const body = await this.#control("/fork", { method: "POST", body: {} });
    const [episode] = isRecord(body) && Array.isArray(body["episodes"]) ? (body["episodes"] as unknown[]) : [];
    const fork = new OpenEnvClient(this.#shared);
    fork.#playHttp(String(isRecord(episode) ? episode["id"] : undefined));
    return fork;
  }

  async snapshot(): Promise<Snapshot> {
    return (await this.#control("/snapshot", { method: "GET" })) as Snapshot;
  }

  tasks(split: string): Promise<readonly Task[]> {
    return remoteTasks(this.name, split, this.#shared);
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
    const transport = this.#transport;
    this.#transport = undefined;
    this.#hasEpisode = false;
    try {
      await transport?.close();
      return [];
    } catch (error) {
      return [{ what: "close", why: messageOf(error) }];
    }
  }

  /**
   * The open transport, or a new one. A socket keeps its session over many resets. The episode of a lost socket goes on
   * over HTTP.
   */
  async #open(signal: AbortSignal | undefined): Promise<OpenEnvTransport> {
    const { base, options } = this.#shared;
    if (this.#transport?.isOpen) return this.#transport;
    if (this.#hasEpisode && this.#episodeId !== undefined)
      return (this.#transport = new OpenEnvHttpTransport(base, this.#shared, this.#episodeId));
    this.#hasEpisode = false; // It was that of the lost connection.
    if (options.transport === "http") return (this.#transport = new OpenEnvHttpTransport(base, this.#shared));
    const headers = await authorizedHeaders(options);
    return (this.#transport = await OpenEnvSocketTransport.open(base, { headers, signal }));
  }

  /** A socket begins with an episode of its own, so a restored one is played over HTTP. */
  async #restore(snapshot: Snapshot, signal: AbortSignal | undefined): Promise<ResetOutcome> {
    await this.#end();
    const url = `${this.name}/control/episodes`;
    const body = { snapshot };
    const { body: episode } = await requestJson(url, { ...this.#shared, method: "POST", body, signal });
    const { id, observation, seed } = isRecord(episode) ? episode : {};
    this.#playHttp(String(id));
    const known = typeof seed === "number" || typeof seed === "string" ? { seed: String(seed) } : {};
    return { observation, source: "environment", tools: await this.#tools(signal), ...known, faults: [] };
  }

  #playHttp(episodeId: string): void {
    this.#begin(new OpenEnvHttpTransport(this.name, this.#shared, episodeId), episodeId);
  }

  #begin(transport: OpenEnvTransport, episodeId: string | undefined): void {
    this.#transport = transport;
    this.#episodeId = episodeId;
    this.#hasEpisode = true;
    this.#last = readStatus({});
  }

  /** Asks the server's control plane about the episode. Only Biplane servers have this one. */
  async #control(path: string, request: { method: "GET" | "POST"; body?: JsonObject }): Promise<unknown> {
    if (!this.#hasEpisode) throw needsReset();
    const cannot = (cause?: unknown) =>
      new BiplaneError("NOT_SUPPORTED", `${this.name} cannot save or fork episodes.`, { cause });
    if (this.#episodeId === undefined) throw cannot();
    const url = `${this.name}/control/episodes/${encodeURIComponent(this.#episodeId)}${path}`;
    try {
      return (await requestJson(url, { ...this.#shared, ...request })).body;
    } catch (error) {
      const isMissing = error instanceof BiplaneError && [404, 405].includes(Number(error.details?.["status"]));
      throw isMissing ? cannot(error) : error;
    }
  }

  #tools(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    return this.#shared.tools.get(() => this.#listTools(signal));
  }

  async #isTyped(signal: AbortSignal | undefined): Promise<boolean> {
    return (await this.#tools(signal)).some(({ name }) => name === typedAction);
  }

  /** Lists the server's tools. An environment with a typed action has it as its only tool. */
  async #listTools(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    const { body } = await requestJson(`${this.name}/schema`, { ...this.#shared, method: "GET", signal });
    const action = isRecord(body) && isRecord(body["action"]) ? body["action"] : {};
    const properties = isRecord(action["properties"]) ? action["properties"] : {};
    if (!("tool_name" in properties)) return [typedTool(action)];
    return readTools(await (await this.#open(signal)).step(listTools(), signal));
  }
}

/** True if the server answered that the action failed; the episode goes on. */
function isAnswer(error: unknown): error is BiplaneError {
  if (!(error instanceof BiplaneError)) return false;
  const { code, details } = error;
  return (details?.["code"] !== undefined || details?.["status"] !== undefined) && answers.includes(code);
}

const answers: readonly ErrorCode[] = ["INVALID_INPUT", "EXECUTION_ERROR", "EPISODE_ENDED", "TIMEOUT"];
