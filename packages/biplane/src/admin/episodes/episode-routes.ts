import { newestFirstKey, paginate } from "../http/input.ts";
import { ApiFailure, mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { personEntry } from "../../governance/audit/person-entry.ts";
import type { AdminParts } from "../admin-parts.ts";
import type { Environment, Principal } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import type { FoundEpisode } from "./episode-list.ts";
import { episodeOperations } from "./episode-api.ts";
import { playStep } from "./episode-step.ts";
import { episodeDetail, episodeSummary } from "./episode-view.ts";

/** `/api/episodes`: lists episodes and, in simulation mode, lets people play them. */
export function episodeRoutes(parts: AdminParts): ApiRoutes {
  const { episodes } = parts;
  const show = async (episode: FoundEpisode) => episodeDetail(episode, episodes);
  const find = (id: string) => mustExist(episodes.find(id), "There is no such episode. It may have ended.");
  return routesOf(episodeOperations, {
    "GET /api/episodes": ({ query }) => {
      const { server, status } = query;
      const only = server === undefined ? undefined : episodes.environment(server);
      const matching = Array.from(episodes).filter(
        ({ environment, episode }) =>
          (only === undefined || environment === only) &&
          (status === undefined || episode.isOver === (status === "over")),
      );
      const { page, next } = paginate(matching, keyOf, query);
      return { episodes: page.map((each) => episodeSummary(each, episodes)), next };
    },
    "POST /api/episodes": ({ by, body: { server, seed, config } }) =>
      withCallFailures(async () => {
        const environment = episodes.environment(server);
        requireSimulation(environment);
        const episode = await environment.start({ seed: parseSeed(seed), config });
        await recordAction(parts, { action: "start", by, id: episode.id, server: environment.name });
        return show({ environment, episode });
      }),
    "GET /api/episodes/:id": async ({ parameters: { id } }) => show(find(id)),
    "DELETE /api/episodes/:id": async ({ by, parameters: { id } }) => {
      const found = find(id);
      requireSimulation(found.environment);
      await found.environment.episodes.end(found.episode);
      await recordAction(parts, { action: "end", by, id, server: found.environment.name });
    },
    "POST /api/episodes/:id/calls": async ({ by, parameters: { id }, body: { tool, input = {} } }) => {
      const found = find(id);
      requireSimulation(found.environment);
      const played = await playStep(found, { tool, input, by });
      return { ...played, episode: await show(found) };
    },
    "POST /api/episodes/:id/fork": ({ by, parameters: { id } }) =>
      withCallFailures(async () => {
        const found = find(id);
        const { environment } = found;
        requireSimulation(environment);
        const episode = await environment.episodes.fork(found.episode);
        episodes.inherit(episode, found.episode);
        await recordAction(parts, { action: "fork", by, id: episode.id, server: environment.name });
        return show({ environment, episode });
      }),
  });
}

/** Throws in production mode, in which people can only view episodes. */
export function requireSimulation({ name, server }: Environment): void {
  if (server.mode === "simulation") return;
  throw new BiplaneError("FORBIDDEN", `${name} runs in production mode. Its episodes can be viewed but not played.`);
}

/** Returns failures of the environment's own code to the person. They are not faults of ours. */
export async function withCallFailures<T>(run: () => Promise<T>): Promise<T | ApiFailure> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BiplaneError && error.code !== "INTERNAL") return new ApiFailure(error);
    throw error;
  }
}

function keyOf({ episode: { startedAt, id } }: FoundEpisode): string {
  return newestFirstKey(startedAt.getTime(), id);
}

function parseSeed(seed: number | string | null | undefined): number | bigint | undefined {
  if (typeof seed !== "string") return seed ?? undefined;
  return BigInt(seed) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : BigInt(seed);
}

async function recordAction(
  { audit, onMove }: AdminParts,
  { action, by, id, server }: { action: string; by: Principal; id: string; server: string },
): Promise<void> {
  onMove(id);
  await audit?.record({ ...personEntry(`episodes/${action}`, { input: { server }, by }), episode: id });
}
