import type { Principal } from "@biplane/core";
import type { AdminParts } from "../admin-parts.ts";
import { mayRead } from "../openapi/scopes.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { searchOperations } from "./search-api.ts";
import type { SearchResult } from "./search-api.ts";
import { maxOfKind, searchSources } from "./search-sources.ts";

/** `GET /api/search`. Each source is searched only if the person may read it, and reads a limited number of items. */
export function searchRoutes(parts: AdminParts): ApiRoutes {
  const sources = searchSources(parts);
  return routesOf(searchOperations, {
    "GET /api/search": async ({ by, query: { query } }) => ({ results: await search(sources, query, by) }),
  });
}

async function search(
  sources: ReturnType<typeof searchSources>,
  query: string,
  by: Principal,
): Promise<SearchResult[]> {
  const wanted = query.trim();
  if (wanted === "") return [];
  const allowed = sources.filter(({ scope }) => mayRead(by, scope));
  const found = await Promise.all(allowed.map((source) => source.find(wanted)));
  return found.flatMap((results) => results.slice(0, maxOfKind));
}
