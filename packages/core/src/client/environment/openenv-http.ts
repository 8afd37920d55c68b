import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { requestJson } from "./request-json.ts";
import type { RequestJsonOptions } from "./request-json.ts";
import type { OpenEnvTransport } from "./openenv.ts";
import type { SharedConnection } from "./shared-connection.ts";

/** OpenEnv's `/reset`, `/step` and `/state` over HTTP, with the id of the episode in each request. */
export function openEnvOverHttp(
  { url, http, options }: Pick<SharedConnection, "url" | "http" | "options">,
  startedId?: string,
): OpenEnvTransport {
  let episodeId = startedId;

  async function send(path: string, request: Omit<RequestJsonOptions, "http" | "options">) {
    const { body, headers } = await requestJson(`${url}${path}`, { http, options, ...request });
    return { body: isRecord(body) ? body : {}, headers };
  }

  async function close(): Promise<void> {
    const id = episodeId;
    episodeId = undefined;
    if (id !== undefined) await send(`/control/episodes/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  return {
    isOpen: true,
    isStateless: true,
    isLost: true,
    async reset(data, signal) {
      await close();
      const { body, headers } = await send("/reset", { method: "POST", body: data, signal, timeoutMs: stepMs });
      const id = headers["x-episode-id"];
      // OpenEnv's own server forgets the episode after every HTTP request and still answers.
      if (typeof id !== "string")
        throw new BiplaneError(
          "NOT_SUPPORTED",
          `${url} keeps no episode between HTTP requests. Connect over its WebSocket.`,
        );
      episodeId = id;
      return body;
    },
    async step(action, signal) {
      const body = { action, episode_id: episodeId };
      return (await send("/step", { method: "POST", body, signal, timeoutMs: stepMs })).body;
    },
    async state(signal) {
      const path = `/state?episode_id=${encodeURIComponent(episodeId ?? "")}`;
      return (await send(path, { method: "GET", signal })).body;
    },
    close,
  };
}

const stepMs = 60_000;
