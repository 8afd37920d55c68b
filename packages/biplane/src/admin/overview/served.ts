import { Environment } from "@biplane/core/internal";
import type { Episode, Principal, Served } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { hasScope, mayRead } from "../openapi/scopes.ts";

/** Finds a server or environment by name. */
export function findServed(all: readonly Served[], name: unknown): Served {
  const found = all.find((each) => each.name === name);
  if (found) return found;
  throw new BiplaneError("INVALID_INPUT", `server must be one of ${all.map((each) => each.name).join(", ")}.`);
}

/** Throws if the person lacks a scope that the route needs in addition to its own. */
export function requireScope(by: Principal, scope: string): void {
  if (!hasScope(by, scope)) throw new BiplaneError("FORBIDDEN", `${by.id} lacks the scope ${scope}.`);
}

/** The same for a scope that only has to permit reading. */
export function requireReading(by: Principal, scope: string): void {
  if (!mayRead(by, scope)) throw new BiplaneError("FORBIDDEN", `${by.id} lacks the scope ${scope}.`);
}

/** Finds an open episode for a person with the scope `episodes`. Undefined if no id is given. */
export function selectedEpisode(served: Served, id: string | undefined, by: Principal): Episode | undefined {
  if (id === undefined) return undefined;
  requireScope(by, "episodes");
  const episode = served instanceof Environment ? served.episodes.findHere(id) : undefined;
  if (episode) return episode;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${served.name} has no episode ${JSON.stringify(id.slice(0, 64))}; it may have ended.`,
  );
}
