import type { Params } from "../protocol/rpc.ts";

/** What changed on a server: one of its lists, or what a resource holds. */
export type Change = "tools" | "resources" | "prompts" | { readonly resource: string };

/** The change that a notification tells of, if it tells of one. */
export function changeIn(method: string, params: Params): Change | undefined {
  if (method === "notifications/resources/updated") {
    return typeof params["uri"] === "string" ? { resource: params["uri"] } : undefined;
  }
  return listChanges.get(method);
}

const listChanges: ReadonlyMap<string, Change> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
]);
