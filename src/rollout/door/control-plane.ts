import { messageOf } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import { readPythonJson } from "../python/json.ts";
import type { Fault, Judgement } from "./door.ts";
import type { HttpLine, HttpReply } from "./exchange.ts";

/** How long to wait for the control plane. */
export interface Timeouts {
  /** For the first observation, and for a reset. */
  readonly initialMs: number;
  /** For a reward, and for a status. */
  readonly stepMs: number;
}

export const defaultTimeouts: Timeouts = { initialMs: 15_000, stepMs: 3000 };

export interface ControlPlaneOptions {
  readonly base: string;
  readonly sessionId: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly line: HttpLine;
  readonly timeouts: Timeouts;
}

/**
 * Eval Protocol's control plane for one session. What it does not say, or says wrongly, is replaced by what does no
 * harm: no reward, not over. Each time that happens, it is told.
 */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  /** The last step whose reward was counted. */
  #counted: number | undefined;
  /** Nothing is there at all: every question so far found no such page. */
  #isAbsent = false;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
  }

  /** What is seen first, or why it is not known. */
  async initialState(signal: AbortSignal): Promise<{ value: unknown; exact: unknown } | { fault: Fault }> {
    const reply = await this.#ask("initial_state", this.#options.timeouts.initialMs, signal);
    this.#isAbsent = typeof reply !== "string" && reply.status === 404;
    const fault = (why: string) => ({ fault: { what: "initial_state" as const, why } });
    if (typeof reply === "string") return fault(reply);
    if (reply.status !== 200) return fault(`status ${reply.status}`);
    const value = parse(reply.text);
    if (value === undefined) return fault("it is no JSON");
    return value === null ? fault("it is null") : { value, exact: readPythonJson(reply.text) };
  }

  async judge(signal: AbortSignal): Promise<Judgement> {
    if (this.#isAbsent) {
      const why = "the server has no control plane";
      return {
        ...nothing,
        faults: [
          { what: "reward", why },
          { what: "status", why },
        ],
      };
    }
    const { stepMs } = this.#options.timeouts;
    const [reward, status] = await Promise.all([
      this.#read("reward", stepMs, signal),
      this.#read("status", stepMs, signal),
    ]);
    signal.throwIfAborted();
    const faults: Fault[] = [];
    const rewarded = this.#reward(reward, faults);
    const { terminated, truncated } = readStatus(status, faults);
    const stepCount = stepCountOf(reward) ?? stepCountOf(status);
    const info = {
      ...(typeof reward !== "string" && { reward_source: source }),
      ...(typeof status !== "string" && { status_source: source }),
    };
    return { ...rewarded, terminated, truncated, stepCount, info, faults };
  }

  /** Asks for a reset, which is how a session is given back. */
  async reset(seed: number | bigint | null, signal: AbortSignal): Promise<Fault[]> {
    if (this.#isAbsent) return [];
    const body = `{"seed":${seed === null ? "null" : String(seed)}}`;
    const reply = await this.#ask("reset_session", this.#options.timeouts.initialMs, signal, body);
    if (typeof reply === "string") return [{ what: "reset_session", why: reply }];
    return reply.status >= 200 && reply.status < 300 ? [] : [{ what: "reset_session", why: `status ${reply.status}` }];
  }

  /** The reward of the last step, once: a call that was refused leaves the one before it standing there. */
  #reward(answer: Answer, faults: Fault[]): { reward: number; parts?: Readonly<Record<string, number>> } {
    const fault = (why: string) => (faults.push({ what: "reward", why }), { reward: 0 });
    if (typeof answer === "string") return fault(answer);
    const { reward = 0, parts } = answer;
    if (typeof reward !== "number" || !Number.isFinite(reward)) return fault(`the reward is ${JSON.stringify(reward)}`);
    const stepCount = stepCountOf(answer);
    const isStale = stepCount !== undefined && stepCount === this.#counted;
    this.#counted = stepCount ?? this.#counted;
    return isStale ? { reward: 0 } : { reward, ...(isObject(parts) && { parts: parts as Record<string, number> }) };
  }

  async #read(name: string, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    const reply = await this.#ask(name, timeoutMs, signal);
    if (typeof reply === "string") return reply;
    if (reply.status !== 200) return `status ${reply.status}`;
    const answer = parse(reply.text);
    return isObject(answer) ? answer : "it is no JSON object";
  }

  /** The reply, or why there is none. */
  async #ask(name: string, timeoutMs: number, signal: AbortSignal, body?: string): Promise<HttpReply | string> {
    const { base, sessionId, headers, line } = this.#options;
    try {
      return await line.ask({
        method: body === undefined ? "GET" : "POST",
        url: `${base}/control/${name}`,
        headers: { ...(await headers()), accept: "application/json", "mcp-session-id": sessionId },
        ...(body !== undefined && { body }),
        timeoutMs,
        signal,
      });
    } catch (error) {
      return messageOf(error);
    }
  }
}

/** Where the control plane of an MCP address is. */
export function controlBase(url: string): string {
  return url
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/mcp$/, "");
}

type Answer = Readonly<Record<string, unknown>> | string;

const source = "control_plane_endpoint";
const nothing = { reward: 0, terminated: false, truncated: false, info: {} };

/** Only real booleans count: the word "false" is true in many languages. */
function readStatus(answer: Answer, faults: Fault[]): { terminated: boolean; truncated: boolean } {
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

function stepCountOf(answer: Answer): number | undefined {
  const count = typeof answer === "string" ? undefined : answer["step_count"];
  return typeof count === "number" && Number.isInteger(count) ? count : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
