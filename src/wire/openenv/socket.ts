import type { LiveCall } from "../../call/live-call.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { StartOptions } from "../../environment/episodes.ts";
import type { Seat } from "../../environment/seat.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import { nestsTooDeep } from "../../protocol/nesting.ts";
import { act } from "./act.ts";
import { ActionFault } from "./action-fault.ts";
import { stateOf } from "./describe.ts";
import { isRecord, payload } from "./payload.ts";
import type { Payload } from "./payload.ts";

export interface SocketOptions {
  readonly principal: Principal;
  readonly seat: Seat;
  /** Passes a JSON-RPC message on to MCP, for the frames that carry one. */
  readonly mcp: (message: unknown, seat: Seat) => Promise<unknown>;
  readonly onClosed: () => void;
}

/** OpenEnv's `/ws`: a frame in, a frame out, in order. The socket is a seat. */
export class OpenEnvSocket implements ChannelListener {
  readonly #environment: Environment;
  readonly #channel: Channel;
  readonly #options: SocketOptions;
  /** The end of the work so far; undefined where none is under way. */
  #busy: Promise<void> | undefined;
  #call: LiveCall | undefined;
  #open = true;

  constructor(environment: Environment, channel: Channel, options: SocketOptions) {
    this.#environment = environment;
    this.#channel = channel;
    this.#options = options;
  }

  /** Frames are answered in the order they came; one that needs no waiting is answered at once. */
  onMessage(text: string): void {
    if (this.#busy) {
      this.#later(this.#busy.then(() => this.#answer(text)));
      return;
    }
    const working = this.#answer(text);
    if (working) this.#later(working);
  }

  onOversize(): void {
    this.#error("SESSION_ERROR", "The frame is too large");
    this.#channel.close();
  }

  onClose(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#call?.cancel("The trainer left");
    this.#options.onClosed();
  }

  #later(work: Promise<void>): void {
    this.#busy = work;
    void work.finally(() => {
      if (this.#busy === work) this.#busy = undefined;
    });
  }

  #answer(text: string): void | Promise<void> {
    try {
      const working = this.#handle(text);
      return working?.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #handle(text: string): void | Promise<void> {
    const frame = parse(text);
    if (typeof frame === "string") return this.#error("INVALID_JSON", `Invalid JSON: ${frame}`);
    const { type, data, ...unknown } = frame;
    const [extra] = Object.keys(unknown);
    if (!frameTypes.includes(String(type)))
      return this.#error("UNKNOWN_TYPE", `Unknown message type: ${describe(type)}`);
    if (extra !== undefined)
      throw new ActionFault("extra_forbidden", [extra], "Extra inputs are not permitted", unknown[extra]);
    switch (type) {
      case "reset":
        return this.#reset(data);
      case "step":
        if (data === undefined) throw new ActionFault("missing", ["data"], "Field required", frame);
        return this.#step(data);
      case "state":
        return this.#state();
      case "mcp":
        return this.#mcp(data);
      default:
        return this.#channel.close();
    }
  }

  async #reset(data: unknown): Promise<void> {
    const episode = await this.#options.seat.reset(startOptions(data));
    this.#observation(payload(episode.firstObservation, episode));
  }

  #step(action: unknown): void | Promise<void> {
    const episode = this.#options.seat.episode();
    if (episode instanceof Promise) return episode.then((late) => this.#stepIn(late, action));
    return this.#stepIn(episode, action);
  }

  #stepIn(episode: Episode, action: unknown): void | Promise<void> {
    const answer = act(this.#environment, episode, action, {
      principal: this.#options.principal,
      timeoutMs: answerWithinMs,
      onCall: (call) => (this.#call = call),
    });
    if (answer instanceof Promise) return answer.then((late) => this.#observation(late));
    this.#observation(answer);
  }

  async #state(): Promise<void> {
    const { current } = this.#options.seat;
    this.#send({ type: "state", data: await stateOf(this.#environment, current) });
  }

  async #mcp(message: unknown): Promise<void> {
    this.#send({ type: "mcp", data: await this.#options.mcp(message, this.#options.seat) });
  }

  #observation(data: Payload): void {
    this.#send({ type: "observation", data });
  }

  #fail(error: unknown): void {
    if (error instanceof ActionFault) this.#error("VALIDATION_ERROR", error.message, { errors: error.errors });
    else if (error instanceof BiplaneError && error.code === "CAPACITY")
      this.#error("CAPACITY_REACHED", error.message, capacityOf(error));
    else this.#error("EXECUTION_ERROR", messageOf(error));
  }

  #error(code: string, message: string, more: object = {}): void {
    this.#send({ type: "error", data: { message, code, ...more } });
  }

  #send(frame: object): void {
    if (this.#open) this.#channel.send(JSON.stringify(frame));
  }
}

/** What a reset may say; the rest are settings of the episode. */
export function startOptions(data: unknown): StartOptions {
  const { seed, episode_id: label, config, ...settings } = isRecord(data) ? data : {};
  if (seed !== undefined && seed !== null && !(Number.isSafeInteger(seed) && Number(seed) >= 0)) {
    throw new BiplaneError("INVALID_INPUT", `seed must be a whole number from 0 up, not ${JSON.stringify(seed)}`);
  }
  if (typeof label === "string" && label.length > 255)
    throw new BiplaneError("INVALID_INPUT", "episode_id is longer than 255 characters");
  const given = { ...settings, ...(isRecord(config) ? config : {}) };
  return {
    seed: seed as number | null | undefined,
    label: typeof label === "string" && label !== "" ? label : undefined,
    ...(Object.keys(given).length > 0 && { config: given }),
  };
}

export function capacityOf(error: BiplaneError): { active_sessions: unknown; max_sessions: unknown } {
  return { active_sessions: error.details?.["active"], max_sessions: error.details?.["most"] };
}

const frameTypes = ["reset", "step", "state", "mcp", "close"];

/** Python clients give up on a frame after 60 s and then mistake late answers for others; one must come before that. */
const answerWithinMs = 50_000;

function parse(text: string): Record<string, unknown> | string {
  if (nestsTooDeep(text)) return "it nests too deep";
  try {
    const frame: unknown = JSON.parse(text);
    return isRecord(frame) ? frame : "a frame is an object";
  } catch (error) {
    return messageOf(error);
  }
}

function describe(type: unknown): string {
  return typeof type === "string"
    ? type.slice(0, 64)
    : String(type === undefined ? null : JSON.stringify(type)?.slice(0, 64));
}
