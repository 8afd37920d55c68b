import type { IncomingMessage, ServerResponse } from "node:http";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { sendJson } from "../../transport/http.ts";
import { readJson, statusOf } from "../http-json.ts";
import { act } from "./act.ts";
import { ActionFault } from "./action-fault.ts";
import { stateOf } from "./describe.ts";
import { episodeName, isRecord, payload } from "./payload.ts";
import { startOptions } from "./socket.ts";

/**
 * `/reset`, `/step` and `/state` over HTTP. A reset says which episode it began; whoever names that episode plays on
 * in it. Without a name each request gets an episode of its own and loses it again, as OpenEnv has it.
 */
export class OpenEnvHttp {
  readonly #environment: Environment;
  readonly #maxBodyBytes: number;
  /** Episodes begun here, by the name they go by. */
  readonly #named = new Map<string, Episode>();

  constructor(environment: Environment, maxBodyBytes: number) {
    this.#environment = environment;
    this.#maxBodyBytes = maxBodyBytes;
  }

  reset(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#answer(response, async () => {
      const options = readObject(await readJson(request, this.#maxBodyBytes));
      if (typeof options["seed"] === "number" && options["seed"] < 0) {
        throw new ActionFault(
          "greater_than_equal",
          ["body", "seed"],
          "Input should be greater than or equal to 0",
          options["seed"],
        );
      }
      const start = startOptions(options);
      const before = start.label === undefined ? undefined : this.#named.get(start.label);
      if (before) await this.#environment.episodes.end(before);
      const episode = await this.#environment.episodes.start(start);
      this.#remember(episode);
      response.setHeader("x-episode-id", episodeName(episode));
      return payload(episode.firstObservation, episode);
    });
  }

  step(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
    return this.#answer(response, async () => {
      const body = readObject(await readJson(request, this.#maxBodyBytes));
      const { action, timeout_s: timeout, episode_id } = body;
      if (!isRecord(action)) throw new ActionFault("missing", ["body", "action"], "Field required", body);
      const timeoutMs = typeof timeout === "number" && timeout > 0 ? timeout * 1000 : undefined;
      return this.#with(nameOf(request, episode_id), (episode) =>
        act(this.#environment, episode, action, { principal, timeoutMs }),
      );
    });
  }

  state(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#answer(response, () =>
      this.#with(nameOf(request, undefined), (episode) => stateOf(this.#environment, episode)),
    );
  }

  async #with<T>(name: string | undefined, work: (episode: Episode) => T | Promise<T>): Promise<T> {
    const { episodes } = this.#environment;
    if (name !== undefined) {
      const episode = this.#named.get(name) ?? episodes.find(name);
      if (!episode || !episodes.find(episode.id))
        throw new BiplaneError("TOOL_NOT_FOUND", `There is no episode ${JSON.stringify(name)}`);
      return work(episode);
    }
    const episode = await episodes.start();
    try {
      return await work(episode);
    } finally {
      await episodes.end(episode);
    }
  }

  /**
   * Names are forgotten with their episodes, when the next one comes. Of those that were begun without a name only
   * some are kept: most who reset like that never come back, and would fill the house.
   */
  #remember(episode: Episode): void {
    const { episodes } = this.#environment;
    for (const [name, { id }] of this.#named) if (!episodes.find(id)) this.#named.delete(name);
    this.#named.set(episodeName(episode), episode);
    const nameless = [...this.#named.values()].filter(({ label }) => label === undefined);
    if (nameless.length <= Math.max(1, Math.min(mostNameless, episodes.most / 2))) return;
    void episodes.end(nameless.reduce((oldest, each) => (each.lastUsed < oldest.lastUsed ? each : oldest)));
  }

  async #answer(response: ServerResponse, make: () => Promise<unknown>): Promise<void> {
    try {
      sendJson(response, 200, JSON.stringify(await make()));
    } catch (error) {
      const [status, detail] = explain(error);
      sendJson(response, status, JSON.stringify({ detail }));
    }
  }
}

const mostNameless = 100;

function explain(error: unknown): [number, unknown] {
  if (error instanceof ActionFault) return [422, error.errors];
  if (!(error instanceof BiplaneError)) return [500, messageOf(error)];
  if (error.code !== "INVALID_INPUT") return [statusOf[error.code], error.message];
  return [422, [{ type: "value_error", loc: ["body"], msg: error.message, input: null }]];
}

function readObject(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new ActionFault("dict_type", ["body"], "Input should be a valid dictionary", body);
}

function nameOf({ url = "", headers }: IncomingMessage, inBody: unknown): string | undefined {
  const query = new URLSearchParams(url.split("?")[1] ?? "").get("episode_id");
  const name = inBody ?? query ?? headers["x-episode-id"];
  return typeof name === "string" && name !== "" ? name : undefined;
}
