import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { requestJson } from "./request-json.ts";
import type { RequestJsonOptions } from "./request-json.ts";
import type { OpenEnvTransport } from "./openenv.ts";

/** OpenEnv's `/reset`, `/step` and `/state` over HTTP, with the id of the episode in each request. */
export class OpenEnvHttpTransport implements OpenEnvTransport {
  readonly isOpen = true;
  readonly isStateless = true;
  readonly isLost = true;
  readonly #base: string;
  readonly #connection: Pick<RequestJsonOptions, "http" | "options">;
  #episodeId: string | undefined;

  constructor(base: string, connection: Pick<RequestJsonOptions, "http" | "options">, episodeId?: string) {
    this.#base = base;
    this.#connection = connection;
    this.#episodeId = episodeId;
  }

  async reset(data: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    await this.close();
    const { body, headers } = await this.#send("/reset", { method: "POST", body: data, signal, timeoutMs: stepMs });
    const id = headers["x-episode-id"];
    // OpenEnv's own server forgets the episode after every HTTP request and still answers.
    if (typeof id !== "string")
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${this.#base} keeps no episode between HTTP requests. Connect over its WebSocket.`,
      );
    this.#episodeId = id;
    return body;
  }

  async step(action: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const body = { action, episode_id: this.#episodeId };
    return (await this.#send("/step", { method: "POST", body, signal, timeoutMs: stepMs })).body;
  }

  async state(signal: AbortSignal | undefined): Promise<JsonObject> {
    const path = `/state?episode_id=${encodeURIComponent(this.#episodeId ?? "")}`;
    return (await this.#send(path, { method: "GET", signal })).body;
  }

  async close(): Promise<void> {
    const id = this.#episodeId;
    this.#episodeId = undefined;
    if (id !== undefined) await this.#send(`/control/episodes/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  async #send(path: string, request: Omit<RequestJsonOptions, "http" | "options">) {
    const { body, headers } = await requestJson(`${this.#base}${path}`, { ...this.#connection, ...request });
    return { body: isRecord(body) ? body : {}, headers };
  }
}

const stepMs = 60_000;
