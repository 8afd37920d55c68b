import type { LiveCall } from "../../call/live-call.ts";
import { showValue } from "../../call/rules/show-value.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { StartOptions } from "../../environment/episodes.ts";
import type { EpisodeSlot } from "../../environment/episode-slot.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import { parseJson } from "../../bounds/parse-json.ts";
import { asksForTools, toolListing } from "./tool-listing.ts";
import { stepEpisode } from "./step.ts";
import { ActionFault, refuseExtra } from "./action-fault.ts";
import { readEpisodeLabel } from "../episode-label.ts";
import { redactedJson } from "../redacted-json.ts";
import { stateOf } from "./describe.ts";
import { maskOf, payload } from "./payload.ts";
import type { Payload } from "./payload.ts";
import { isRecord } from "../../is-record.ts";

export interface OpenEnvSocketOptions {
  readonly principal: Principal;
  readonly slot: EpisodeSlot;
  /** Serves the JSON-RPC message of an `mcp` frame. */
  readonly mcp: (message: unknown, slot: EpisodeSlot) => Promise<unknown>;
  readonly onClosed: () => void;
}

/** OpenEnv's `/ws`: each frame gets one response frame, in order. The socket has its own episode slot. */
export class OpenEnvSocket implements ChannelListener {
  readonly #environment: Environment;
  readonly #channel: Channel;
  readonly #options: OpenEnvSocketOptions;
  #call: LiveCall | undefined;
  #open = true;

  constructor(environment: Environment, channel: Channel, options: OpenEnvSocketOptions) {
    this.#environment = environment;
    this.#channel = channel;
    this.#options = options;
  }

  /** Answers a frame, synchronously where possible. The transport hands over the next one when it is answered. */
  onMessage(text: string): void | Promise<void> {
    try {
      const working = this.#handle(text);
      return working?.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  onOversize(): void {
    this.#error("SESSION_ERROR", "The frame is too large");
    this.#channel.close();
  }

  onClose(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#call?.cancel("The trainer disconnected");
    this.#options.onClosed();
  }

  #handle(text: string): void | Promise<void> {
    const frame = parse(text);
    if (typeof frame === "string") return this.#error("INVALID_JSON", `Invalid JSON: ${frame}`);
    const { type, data, ...unknown } = frame;
    if (!frameTypes.includes(String(type)))
      return this.#error("UNKNOWN_TYPE", `Unknown message type: ${describe(type)}`);
    refuseExtra(unknown);
    if (this.#environment.server.mode === "production" && trainerFrames.includes(String(type)))
      return this.#error(
        "EXECUTION_ERROR",
        `${String(type)} is not available in production. Call tools in mcp frames.`,
      );
    switch (type) {
      case "reset":
        return this.#reset(data);
      case "step":
        if (data === undefined)
          throw new ActionFault({ type: "missing", loc: ["data"], msg: "Field required", input: frame });
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
    const episode = await this.#options.slot.reset(startOptions(data));
    this.#observation(payload(episode.firstObservation, episode));
  }

  #step(action: unknown): void | Promise<void> {
    const episode = this.#options.slot.peek();
    if (episode instanceof Promise) return episode.then((late) => this.#stepIn(late, action));
    return this.#stepIn(episode, action);
  }

  /**
   * Starts no episode: a client that reconnects after its server died would go on in another one without noticing, and
   * its rewards would be those of two.
   */
  #stepIn(episode: Episode | undefined, action: unknown): void | Promise<void> {
    if (asksForTools(action)) return this.#observation(toolListing(this.#environment, episode));
    if (!episode)
      throw new BiplaneError("EXECUTION_ERROR", "No episode is open on this connection. Send a reset first.");
    const answer = stepEpisode(episode, action, {
      environment: this.#environment,
      principal: this.#options.principal,
      timeoutMs: answerWithinMs,
      onCall: (call) => (this.#call = call),
    });
    if (answer instanceof Promise) return answer.then((late) => this.#observation(late));
    this.#observation(answer);
  }

  async #state(): Promise<void> {
    this.#send({ type: "state", data: await stateOf(this.#environment, await this.#options.slot.peek()) });
  }

  async #mcp(message: unknown): Promise<void> {
    this.#send({ type: "mcp", data: await this.#options.mcp(message, this.#options.slot) });
  }

  /** Trainers add up rewards and take null for 0, so a masked episode ends with an error. */
  #observation(data: Payload): void {
    const failure = data.done ? maskOf(data) : undefined;
    if (failure) this.#error("EXECUTION_ERROR", `The episode has no reward: ${failure.message}`, data);
    else this.#send({ type: "observation", data });
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
    if (this.#open) this.#channel.send(redactedJson(frame, this.#environment.redactor));
  }
}

/** Reads the options of a reset. Unknown keys become the episode's config. */
export function startOptions(data: unknown): StartOptions {
  const { seed, episode_id: label, config, ...settings } = isRecord(data) ? data : {};
  if (seed !== undefined && seed !== null && !(Number.isSafeInteger(seed) && Number(seed) >= 0)) {
    throw new BiplaneError("INVALID_INPUT", `seed must be an integer of at least 0, not ${showValue(seed)}.`);
  }
  const given = { ...settings, ...(isRecord(config) ? config : {}) };
  return {
    seed: seed as number | null | undefined,
    label: readEpisodeLabel(label, "episode_id"),
    ...(Object.keys(given).length > 0 && { config: given }),
  };
}

export function capacityOf(error: BiplaneError): { active_sessions: unknown; max_sessions: unknown } {
  return { active_sessions: error.details?.["active"], max_sessions: error.details?.["most"] };
}

/** Frames that only trainers may send. */
const trainerFrames = ["reset", "step", "state"];
export const frameTypes: readonly string[] = [...trainerFrames, "mcp", "close"];

/** Python clients time out after 60 s and then mistake a late answer for the next one, so answer earlier. */
const answerWithinMs = 50_000;

function parse(text: string): Record<string, unknown> | string {
  try {
    const frame = parseJson(text);
    return isRecord(frame) ? frame : "a frame must be a JSON object";
  } catch (error) {
    return error instanceof RangeError ? `the frame ${messageOf(error)}` : messageOf(error);
  }
}

function describe(type: unknown): string {
  return typeof type === "string"
    ? type.slice(0, 64)
    : String(type === undefined ? null : JSON.stringify(type)?.slice(0, 64));
}
