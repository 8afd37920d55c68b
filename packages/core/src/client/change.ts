import type { Params } from "../protocol/rpc.ts";
import type { CatalogChange } from "../server/catalog.ts";

/** The change that a notification reports; undefined for other notifications. */
export function changeIn(method: string, params: Params): CatalogChange | undefined {
  if (method === "notifications/resources/updated") {
    return typeof params["uri"] === "string" ? { resource: params["uri"] } : undefined;
  }
  return listChanges.get(method);
}

const listChanges: ReadonlyMap<string, CatalogChange> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
]);
