import type { IncomingMessage, ServerResponse } from "node:http";
import { showValue } from "../../call/rules/show-value.ts";
import type { CallerEpisodes } from "../../environment/caller-episodes.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { StartOptions } from "../../environment/episodes.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { sendJson } from "../../transport/http.ts";
import { readJson, statusOf } from "../http-json.ts";
import { redactedJson } from "../redacted-json.ts";
import { keyInHeaders } from "../retry-key.ts";
import type { RoutedRequest } from "../routed-request.ts";
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
  readonly #maxBodyBytes: number;
  /** Episodes by the name that a client gave them. */
  readonly #named = new Map<string, Episode>();

  constructor(environment: Environment, callers: CallerEpisodes, maxBodyBytes: number) {
    this.#environment = environment;
    this.#callers = callers;
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
      const episode = await this.#start(startOptions(options));
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
      const episode =
        name === undefined ? await this.#callers.slotOfPrincipal(principal).episode() : await this.#find(name);
      const retryKey = keyInHeaders(request.headers);
      return stepEpisode(episode, action, { environment: this.#environment, principal, timeoutMs, retryKey });
    });
  }

  state({ request, response, principal }: RoutedRequest): Promise<void> {
    return this.#answer(response, async () => {
      const name = nameOf(request, undefined);
      const episode =
        name === undefined ? await this.#callers.slotOfPrincipal(principal).peek() : await this.#find(name);
      return stateOf(this.#environment, episode?.isClosed ? undefined : episode);
    });
  }

  /** Starts an episode. One with a name replaces an older one of that name; one without yields its place if needed. */
  async #start(options: StartOptions): Promise<Episode> {
    const { episodes } = this.#environment;
    const { label } = options;
    if (label === undefined) return episodes.startYielding(options);
    const episode = await episodes.start(options, await this.#labelled(label));
    for (const [name, { isClosed }] of this.#named) if (isClosed) this.#named.delete(name);
    if (episodes.names) await episodes.names.set(labelName(label), episode.id);
    else this.#named.set(label, episode);
    return episode;
  }

  async #labelled(label: string): Promise<Episode | undefined> {
    const { episodes } = this.#environment;
    if (!episodes.names) return this.#named.get(label);
    const id = await episodes.names.get(labelName(label));
    return id === undefined ? undefined : episodes.find(id);
  }

  async #find(name: string): Promise<Episode> {
    const { episodes } = this.#environment;
    const episode = (await this.#labelled(name)) ?? (await episodes.find(name));
    if (episode && !episode.isClosed) return episode;
    throw new BiplaneError("TOOL_NOT_FOUND", `There is no episode ${showValue(name)}.`);
  }

  async #answer(response: ServerResponse, make: () => Promise<unknown>): Promise<void> {
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

function labelName(label: string): string {
  return `label ${label}`;
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

function nameOf({ url = "", headers }: IncomingMessage, inBody: unknown): string | undefined {
  const query = new URLSearchParams(url.split("?")[1] ?? "").get("episode_id");
  const name = inBody ?? query ?? headers["x-episode-id"];
  return typeof name === "string" && name !== "" ? name : undefined;
}
