import type { HttpMessage } from "../../transport/http-message.ts";
import { showValue } from "../../call/rules/show-value.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { EpisodeSlot } from "../../environment/episode-slot.ts";
import { BiplaneError } from "../../errors.ts";
import { answerWith, readJson, refuseMethod } from "../http-json.ts";
import type { EpisodeResolver } from "../mcp/episode-resolver.ts";
import { isControlId } from "../mcp/episode-resolver.ts";
import { isRecord } from "../../is-record.ts";
import type { RoutedRequest } from "../routed-request.ts";

/** Eval Protocol's control plane: reward, status and reset of the session in the `mcp-session-id` header. */
export class EvalProtocolControl {
  readonly #environment: Environment;
  readonly #resolver: EpisodeResolver;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, resolver: EpisodeResolver, maxBodyBytes: number) {
    this.#environment = environment;
    this.#resolver = resolver;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Returns false if the path is not part of the control plane. */
  handle({ request, response, path: name }: RoutedRequest): boolean {
    const reader = Object.hasOwn(controlReaders, name) ? controlReaders[name] : undefined;
    if (reader && request.method === "GET") {
      void answerWith({ response, server: this.#environment }, async () =>
        reader(await (await this.#slotOf(request)).episode(), this.#environment),
      );
    } else if (name === "reset_session" && request.method === "POST") {
      void answerWith({ response, server: this.#environment }, () => this.#reset(request));
    } else if (reader || name === "reset_session") {
      refuseMethod(response, reader ? "GET" : "POST");
    } else {
      return false;
    }
    return true;
  }

  /** Resetting an unknown session succeeds, because clients also reset sessions that have ended. */
  async #reset(request: HttpMessage): Promise<object> {
    const id = idOf(request);
    const body = await readJson(request, { maxBytes: this.#maxBodyBytes });
    const seed = isRecord(body) ? body["seed"] : undefined;
    if (seed !== undefined && seed !== null && !(Number.isSafeInteger(seed) && Number(seed) >= 0)) {
      throw new BiplaneError("INVALID_INPUT", `seed must be an integer of at least 0, not ${showValue(seed)}.`);
    }
    await (await this.#resolver.slotById(id))?.reset({ seed: seed as number | null | undefined });
    return { ok: true };
  }

  async #slotOf(request: HttpMessage): Promise<EpisodeSlot> {
    const id = idOf(request);
    const slot = await this.#resolver.slotById(id);
    if (!slot) throw new BiplaneError("NOT_FOUND", `Session ${id} not found`);
    return slot;
  }
}

/** What is read at `/control/<name>`. Only `initial_state` returns an observation, and it returns no reward. */
export const controlReaders: Readonly<Record<string, (episode: Episode, environment: Environment) => unknown>> = {
  initial_state: (episode) => episode.firstObservation,
  // Eval Protocol's client takes an error for a reward of 0. It raises at null, and then retries the row or leaves it out.
  reward: ({ last, stepCount, failure }) => {
    const { reward, parts } = last;
    if (failure?.masked) return { reward: null, step_count: stepCount, failure };
    return { reward: reward ?? 0, step_count: stepCount, ...(parts && { parts }), ...(failure && { failure }) };
  },
  status: ({ terminated, truncated, stepCount, totalReward, failure }) => ({
    terminated,
    truncated,
    step_count: stepCount,
    total_reward: totalReward,
    ...(failure && { failure }),
  }),
  info: async (episode, { rules }) => (await rules.options.info?.(episode.state, episode.context)) ?? {},
};

function idOf({ headers }: HttpMessage): string {
  const id = headers["mcp-session-id"];
  if (id === undefined) throw new BiplaneError("INVALID_INPUT", "Missing mcp-session-id header");
  if (!isControlId(id))
    throw new BiplaneError("INVALID_INPUT", "mcp-session-id must be 1 to 128 letters, digits and . : _ -");
  return id;
}
