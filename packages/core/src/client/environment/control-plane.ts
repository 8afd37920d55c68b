import { tryParseJson } from "../../bounds/parse-json.ts";
import { makeFailure, readFailure } from "../../environment/failure.ts";
import { BiplaneError, asBiplaneError, messageOf } from "../../errors.ts";
import type { Failure } from "../../environment/failure.ts";
import { isRecord } from "../../is-record.ts";
import type { ControlPlaneFault, EpisodeState, StepStatus } from "./environment-client.ts";
import type { HttpClient, HttpClientResponse } from "./http-client.ts";
import { sendUntilAnswered } from "./send-until-answered.ts";

export interface ControlPlaneTimeouts {
  /** Timeout of the first observation and of a reset. */
  readonly initialMs: number;
  /** Timeout of a reward and of a status. */
  readonly stepMs: number;
}

export const defaultTimeouts: ControlPlaneTimeouts = { initialMs: 15_000, stepMs: 3000 };

/** A playback waits for no model, so its first observation has less time. */
export const playbackTimeouts: ControlPlaneTimeouts = { ...defaultTimeouts, initialMs: 3000 };

export interface ControlPlaneOptions {
  readonly base: string;
  readonly sessionId: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly http: HttpClient;
  readonly timeouts: ControlPlaneTimeouts;
  /** True if another server can answer when one has died: then a request is sent again. */
  readonly isReplicated: boolean;
}

/**
 * Eval Protocol's control plane for one session. A reward that is missing or invalid is a failure, not 0. A status that
 * is becomes "not over". Both are reported as faults.
 */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  /** Step count of the last reward. */
  #lastStepCount: number | undefined;
  /** True if the server has no control plane: its first request returned 404. */
  #isAbsent = false;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
  }

  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** The first observation as JSON, or the reason why it is missing. */
  async initialState(
    signal: AbortSignal | undefined,
  ): Promise<{ value: unknown; json: string } | { fault: ControlPlaneFault }> {
    const reply = await this.#send("initial_state", this.#options.timeouts.initialMs, { signal });
    this.#isAbsent = typeof reply !== "string" && reply.status === 404;
    const fault = (why: string) => ({ fault: { what: "initial_state" as const, why } });
    if (typeof reply === "string") return fault(reply);
    if (reply.status !== 200) return fault(`status ${reply.status}`);
    const value = tryParseJson(reply.text);
    if (value === undefined) return fault("the body is not JSON");
    return value === null ? fault("the body is null") : { value, json: reply.text };
  }

  async readStatus(signal: AbortSignal | undefined): Promise<StepStatus> {
    if (this.#isAbsent) {
      const why = "the server has no control plane";
      return {
        ...noOutcome,
        faults: [
          { what: "reward", why },
          { what: "status", why },
        ],
      };
    }
    const [reward, status] = await Promise.all([this.#read("reward", signal), this.#read("status", signal)]);
    signal?.throwIfAborted();
    const faults: ControlPlaneFault[] = [];
    const rewarded = this.#reward(reward, faults);
    const { terminated, truncated } = readEnding(status, faults);
    const stepCount = stepCountOf(reward) ?? stepCountOf(status);
    const failure = failureIn(reward) ?? failureIn(status) ?? unknownReward(faults);
    const info = {
      ...(typeof reward !== "string" && { reward_source: source }),
      ...(typeof status !== "string" && { status_source: source }),
    };
    return { ...rewarded, terminated, truncated, stepCount, failure, info, faults };
  }

  /** The status as a state, or the reason why it is missing. */
  async state(signal: AbortSignal | undefined): Promise<EpisodeState | string> {
    const status = await this.#read("status", signal);
    if (typeof status === "string") return status;
    const { step_count: _, total_reward: totalReward, ...rest } = status;
    const stepCount = stepCountOf(status) ?? 0;
    return { ...rest, totalReward, episodeId: this.#options.sessionId, stepCount };
  }

  /** Resets the session, which releases it on the server. */
  async reset(seed: number | bigint | null): Promise<ControlPlaneFault[]> {
    if (this.#isAbsent) return [];
    const body = `{"seed":${seed === null ? "null" : String(seed)}}`;
    const reply = await this.#send("reset_session", this.#options.timeouts.initialMs, { body });
    if (typeof reply === "string") return [{ what: "reset_session", why: reply }];
    return reply.status >= 200 && reply.status < 300 ? [] : [{ what: "reset_session", why: `status ${reply.status}` }];
  }

  /** Rewards are deduplicated by step count: after a rejected call, the server repeats the previous one. */
  #reward(answer: Answer, faults: ControlPlaneFault[]): Pick<StepStatus, "reward" | "parts"> {
    const fault = (why: string) => (faults.push({ what: "reward", why }), { reward: null });
    if (typeof answer === "string") return fault(answer);
    const { reward = 0, parts } = answer;
    if (reward === null && failureIn(answer)) return { reward };
    if (typeof reward !== "number" || !Number.isFinite(reward))
      return fault(`the reward is ${JSON.stringify(reward)}, not a number`);
    const stepCount = stepCountOf(answer);
    const isStale = stepCount !== undefined && stepCount === this.#lastStepCount;
    this.#lastStepCount = stepCount ?? this.#lastStepCount;
    return isStale ? { reward: 0 } : { reward, ...(isRecord(parts) && { parts: parts as Record<string, number> }) };
  }

  async #read(name: string, signal: AbortSignal | undefined): Promise<Answer> {
    const reply = await this.#send(name, this.#options.timeouts.stepMs, { signal });
    if (typeof reply === "string") return reply;
    if (reply.status !== 200) return `status ${reply.status}`;
    const answer = tryParseJson(reply.text);
    return isRecord(answer) ? answer : "the body is not a JSON object";
  }

  /** Returns the response, or an error message. */
  async #send(
    name: string,
    timeoutMs: number,
    { signal, body }: { signal?: AbortSignal | undefined; body?: string },
  ): Promise<HttpClientResponse | string> {
    const { base, sessionId, headers, http, isReplicated } = this.#options;
    const send = async () =>
      http.send({
        method: body === undefined ? "GET" : "POST",
        url: `${base}/control/${name}`,
        headers: { ...(await headers()), accept: "application/json", "mcp-session-id": sessionId },
        ...(body !== undefined && { body }),
        timeoutMs,
        signal,
      });
    try {
      return await (isReplicated ? sendUntilAnswered(() => answered(send), signal) : send());
    } catch (error) {
      return messageOf(error);
    }
  }
}

/** Rejects if the server or its store is not ready. */
async function answered(send: () => Promise<HttpClientResponse>): Promise<HttpClientResponse> {
  const response = await send().catch((error: unknown) => {
    const { code, message } = asBiplaneError(error);
    // Reading twice does no harm, so a server that is too slow counts as one that does not answer.
    throw new BiplaneError(code === "TIMEOUT" ? "EXECUTION_ERROR" : code, message, { cause: error });
  });
  const { status } = response;
  if (status !== 502 && status !== 503) return response;
  throw new BiplaneError("CAPACITY", `status ${status}`, { details: { status } });
}

/** The base URL of the control plane. */
export function controlBase(url: string): string {
  return url
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/mcp$/, "");
}

type Answer = Readonly<Record<string, unknown>> | string;

const source = "control_plane_endpoint";
const noOutcome = { reward: 0, terminated: false, truncated: false, info: {} };

/** Accepts only booleans: a string such as "false" would be truthy. */
function readEnding(answer: Answer, faults: ControlPlaneFault[]): { terminated: boolean; truncated: boolean } {
  if (typeof answer === "string") {
    faults.push({ what: "status", why: answer });
    return { terminated: false, truncated: false };
  }
  const read = (key: "terminated" | "truncated"): boolean => {
    const value = answer[key] ?? false;
    if (typeof value === "boolean") return value;
    faults.push({ what: "status", why: `${key} is ${JSON.stringify(value)}` });
    return false;
  };
  return { terminated: read("terminated"), truncated: read("truncated") };
}

function unknownReward(faults: readonly ControlPlaneFault[]): Failure | undefined {
  const fault = faults.find(({ what }) => what === "reward");
  return fault && makeFailure("infrastructure", `The reward is unknown: ${fault.why}`);
}

function failureIn(answer: Answer): Failure | undefined {
  return typeof answer === "string" ? undefined : readFailure(answer["failure"]);
}

function stepCountOf(answer: Answer): number | undefined {
  const count = typeof answer === "string" ? undefined : answer["step_count"];
  return typeof count === "number" && Number.isInteger(count) ? count : undefined;
}
