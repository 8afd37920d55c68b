import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BiplaneError } from "@biplane/core";
import type { Environment, Listening } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";

/** Names that the files of a task and the commands in its containers share. */
export const harborEpisode = {
  /** The service in the compose file, which is its host name too. */
  service: "biplane",
  label: "task",
  /** For agents: the only path that other containers reach. Harbor's URLs are fixed before an episode exists. */
  path: "/e/task/mcp",
  port: 8000,
  /** For the score, in the same container only. */
  controlUrl: "http://127.0.0.1:8001",
  rewardFile: "/biplane/reward.json",
} as const;

export interface HarborServeOptions {
  /** Where agents connect. */
  readonly url: string;
  /** A loopback address for the control plane. */
  readonly controlUrl: string;
  readonly seed?: number | undefined;
  readonly config?: unknown;
}

/** Serves one episode. Agents reach its tools and nothing else, so that they cannot score themselves. */
export async function serveHarborEpisode(environment: Environment, options: HarborServeOptions): Promise<Listening> {
  const { url, controlUrl, seed, config } = options;
  const { id } = await environment.start({ seed, config, label: harborEpisode.label });
  const control = await environment.serve(controlUrl);
  const server = createServer((request, response) => {
    if (request.url !== harborEpisode.path) response.writeHead(404).end();
    else forward(request, response, new URL(`/e/${id}/mcp`, control.url));
  });
  const { hostname, port } = new URL(url);
  server.listen(Number(port), hostname);
  await once(server, "listening");
  const close = async () => {
    await Promise.all([control.close(), closeServer(server)]);
  };
  const address = `http://${hostname}:${(server.address() as AddressInfo).port}`;
  return { url: address, closed: control.closed, close, [Symbol.asyncDispose]: close };
}

/** The rewards of the episode in Harbor's format. Throws if it has none, so that nothing is written. */
export async function harborRewards(controlUrl: string): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${controlUrl}/control/episodes/${harborEpisode.label}`);
  const episode: unknown = await response.json();
  if (!response.ok || !isRecord(episode))
    throw new BiplaneError("EXECUTION_ERROR", `${controlUrl} has no episode to score: ${JSON.stringify(episode)}`);
  const { total_reward: reward, step_count: steps, failure } = episode;
  const isMasked = isRecord(failure) && failure["masked"] === true;
  if (isMasked || typeof reward !== "number" || !Number.isFinite(reward))
    throw new BiplaneError("EXECUTION_ERROR", `The episode has no reward: ${JSON.stringify(failure ?? reward)}`);
  return { reward, step_count: Number(steps) };
}

/** Passes a request on. The other side checks it: its size, its protocol version, its session. */
function forward(request: IncomingMessage, response: ServerResponse, target: URL): void {
  const { host: _, connection: __, ...headers } = request.headers;
  const passed = sendRequest(target, { method: request.method ?? "GET", headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on("close", () => passed.destroy());
  request.pipe(passed);
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
