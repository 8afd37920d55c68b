import { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import { BiplaneError } from "../errors.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";

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

/** Throws where a route of one scope is used for what needs another as well. */
export function mustHave({ id, scopes }: Principal, scope: string): void {
  if (scopes.includes("*") || scopes.includes(scope)) return;
  throw new BiplaneError("UNAUTHORIZED", `${id} lacks the scope ${scope}`);
}

/** An episode that is open, for somebody who may play; undefined where none is named. */
export function episodeIn(served: Served, id: string | undefined, by: Principal): Episode | undefined {
  if (id === undefined) return undefined;
  mustHave(by, "episodes");
  const episode = served instanceof Environment ? served.episodes.find(id) : undefined;
  if (episode) return episode;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${served.name} has no episode ${JSON.stringify(id.slice(0, 64))}; it may have ended`,
  );
}
