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
    const url = `${this.#base}/reset`;
    const request = { ...this.#connection, method: "POST", body: data, signal, timeoutMs: stepMs } as const;
    const { body, headers } = await requestJson(url, request);
    const id = headers["x-episode-id"];
    // OpenEnv's own server forgets the episode after every HTTP request and still answers.
    if (typeof id !== "string")
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${this.#base} keeps no episode between HTTP requests. Connect over its WebSocket.`,
      );
    this.#episodeId = id;
    return isRecord(body) ? body : {};
  }

  async step(action: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const body = { action, episode_id: this.#episodeId };
    const request = { ...this.#connection, method: "POST", body, signal, timeoutMs: stepMs } as const;
    const { body: answer } = await requestJson(`${this.#base}/step`, request);
    return isRecord(answer) ? answer : {};
  }

  async state(signal: AbortSignal | undefined): Promise<JsonObject> {
    const url = `${this.#base}/state?episode_id=${encodeURIComponent(this.#episodeId ?? "")}`;
    const { body } = await requestJson(url, { ...this.#connection, method: "GET", signal });
    return isRecord(body) ? body : {};
  }

  async close(): Promise<void> {
    const id = this.#episodeId;
    this.#episodeId = undefined;
    if (id === undefined) return;
    const url = `${this.#base}/control/episodes/${encodeURIComponent(id)}`;
    await requestJson(url, { ...this.#connection, method: "DELETE" });
  }
}

const stepMs = 60_000;
