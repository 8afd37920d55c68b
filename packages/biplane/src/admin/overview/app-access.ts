import { BiplaneError } from "@biplane/core";
import type { Resource, Tool } from "@biplane/core";
import type { ServerCore } from "@biplane/core/internal";

/**
 * Throws if an app page accesses a tool or resource of another server. A page of a mounted server runs with the rights
 * of the person who views it, so it is limited to its own server.
 */
export function checkAppAccess(server: ServerCore, page: string, target: Tool | Resource): void {
  const shown = server.findResource(page)?.resource;
  if (!shown) throw new BiplaneError("INVALID_INPUT", `${server.name} has no page ${page.slice(0, 200)}.`);
  const home = server.mountPathOf(shown);
  if (home === undefined || home === server.mountPathOf(target)) return;
  throw new BiplaneError("FORBIDDEN", `${target.name} belongs to another server than the page that requests it.`);
}

/**
 * The identity of a page, which selects its stored data. It contains the server, because two servers may use the same
 * page URI.
 */
export function pageIdentity(server: ServerCore, uri: string): string {
  const found = server.findResource(uri);
  const home = found && server.mountPathOf(found.resource);
  return home === undefined ? uri : `ui://${home}/${uri.slice("ui://".length)}`;
}
