import type { HttpMessage, ResponseWriter } from "../../transport/http-message.ts";
import type { CallerEpisodes } from "../../environment/caller-episodes.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { unknownEpisode } from "../../environment/episode-labels.ts";
import type { EpisodeLabels } from "../../environment/episode-labels.ts";
import type { StartOptions } from "../../environment/episodes.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { sendJson } from "../../transport/http.ts";
import { readJson, statusOf } from "../http-json.ts";
import { redactedJson } from "../redacted-json.ts";
import { keyInHeaders } from "../retry-key.ts";
import type { RoutedRequest } from "../routed-request.ts";
import { asksForTools, toolListing } from "./tool-listing.ts";
import { stepEpisode } from "./step.ts";
import { ActionFault } from "./action-fault.ts";
import { stateOf } from "./describe.ts";
import { episodeName, payload } from "./payload.ts";
import { startOptions } from "./socket.ts";
import { isRecord } from "../../is-record.ts";

/**
 * `/reset`, `/step` and `/state` over HTTP. A reset returns an episode id, which later requests may name. A request
 * without an id belongs to the episode of its caller's last reset. Concurrent callers need ids.
 */
export class OpenEnvHttp {
  readonly #environment: Environment;
  readonly #callers: CallerEpisodes;
  readonly #labels: EpisodeLabels;
  readonly #maxBodyBytes: number;

  constructor(
    environment: Environment,
    { callers, labels }: { callers: CallerEpisodes; labels: EpisodeLabels },
    maxBodyBytes: number,
  ) {
    this.#environment = environment;
    this.#callers = callers;
    this.#labels = labels;
    this.#maxBodyBytes = maxBodyBytes;
  }

  reset({ request, response, principal }: RoutedRequest): Promise<void> {
    return this.#answer(response, async () => {
      const options = readObject(await readJson(request, { maxBytes: this.#maxBodyBytes }));
      if (typeof options["seed"] === "number" && options["seed"] < 0) {
        throw new ActionFault({
          type: "greater_than_equal",
          loc: ["body", "seed"],
          msg: "Input should be greater than or equal to 0",
          input: options["seed"],
        });
      }
      const episode = await this.#start(startOptions(options), principal);
      await this.#callers.slotOfPrincipal(principal).adopt(episode);
      const name = episodeName(episode);
      if (/^[\x20-\x7e]+$/.test(name)) response.setHeader("x-episode-id", name); // the body has it in any case
      return payload(episode.firstObservation, episode);
    });
  }

  step({ request, response, principal }: RoutedRequest): Promise<void> {
    return this.#answer(response, async () => {
      const body = readObject(await readJson(request, { maxBytes: this.#maxBodyBytes }));
      const { action, timeout_s: timeout, episode_id } = body;
      if (!isRecord(action))
        throw new ActionFault({ type: "missing", loc: ["body", "action"], msg: "Field required", input: body });
      const timeoutMs = typeof timeout === "number" && timeout > 0 ? timeout * 1000 : undefined;
      const name = nameOf(request, episode_id);
      if (name === undefined && asksForTools(action)) return toolListing(this.#environment, undefined);
      const episode =
        name === undefined
          ? await this.#callers.slotOfPrincipal(principal).episode()
          : await this.#find(name, principal);
      const retryKey = keyInHeaders(request.headers);
      return stepEpisode(episode, action, { environment: this.#environment, principal, timeoutMs, retryKey });
    });
  }

  state({ request, response, principal }: RoutedRequest): Promise<void> {
    return this.#answer(response, async () => {
      const name = nameOf(request, undefined);
      const episode =
        name === undefined ? await this.#callers.slotOfPrincipal(principal).peek() : await this.#find(name, principal);
      return stateOf(this.#environment, episode?.isClosed ? undefined : episode);
    });
  }

  /** Starts an episode. One with a name replaces the caller's older one; one without yields its place if needed. */
  async #start(options: StartOptions, principal: Principal): Promise<Episode> {
    const { episodes } = this.#environment;
    const { label } = options;
    if (label === undefined) return episodes.startYielding(options);
    const episode = await episodes.start(options, await this.#labels.findOwn(label, principal));
    await this.#labels.bind(label, episode, principal);
    return episode;
  }

  async #find(name: string, principal: Principal): Promise<Episode> {
    const episode = await this.#labels.find(name, principal);
    if (episode) return episode;
    throw unknownEpisode(name);
  }

  async #answer(response: ResponseWriter, make: () => Promise<unknown>): Promise<void> {
    const send = (status: number, body: unknown) =>
      sendJson(response, status, redactedJson(body, this.#environment.redactor));
    try {
      send(200, await make());
    } catch (error) {
      const [status, detail] = explain(error);
      send(status, { detail });
    }
  }
}

function explain(error: unknown): [number, unknown] {
  if (error instanceof ActionFault) return [422, error.errors];
  if (!(error instanceof BiplaneError)) return [500, messageOf(error)];
  if (error.code !== "INVALID_INPUT") return [statusOf[error.code], error.message];
  return [422, [{ type: "value_error", loc: ["body"], msg: error.message, input: null }]];
}

function readObject(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new ActionFault({ type: "dict_type", loc: ["body"], msg: "Input should be a valid dictionary", input: body });
}

function nameOf({ url = "", headers }: HttpMessage, inBody: unknown): string | undefined {
  const query = new URLSearchParams(url.split("?")[1] ?? "").get("episode_id");
  const name = inBody ?? query ?? headers["x-episode-id"];
  return typeof name === "string" && name !== "" ? name : undefined;
}
