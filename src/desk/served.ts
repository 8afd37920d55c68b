import { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import { BiplaneError } from "../errors.ts";
import type { Server } from "../server/server.ts";

/** What is served here: the first at the root, the others under `/env/<name>`. */
export type Served = Server | Environment;

export function serverOf(served: Served): Server {
  return served instanceof Environment ? served.server : served;
}

/** The one of that name. */
export function servedBy(all: readonly Served[], name: unknown): Served {
  const found = all.find((each) => each.name === name);
  if (found) return found;
  throw new BiplaneError("INVALID_INPUT", `server must be one of ${all.map((each) => each.name).join(", ")}`);
}

/** An episode that is open; undefined where none is named. */
export function episodeIn(served: Served, id: string | undefined): Episode | undefined {
  if (id === undefined) return undefined;
  const episode = served instanceof Environment ? served.episodes.find(id) : undefined;
  if (episode) return episode;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${served.name} has no episode ${JSON.stringify(id.slice(0, 64))}; it may have ended`,
  );
}
