import { BiplaneError } from "../errors.ts";
import type { Server } from "../server/server.ts";
import type { Resource } from "../server/resource.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * Throws where a page reaches for what is not its own. Behind one server may be many: a page that came from elsewhere is
 * shown to a person who may do more than it should, so it gets at the things of its own server and at no others.
 */
export function mustReach(server: Server, page: string, thing: Tool | Resource): void {
  const shown = server.findResource(page)?.resource;
  if (!shown) throw new BiplaneError("INVALID_INPUT", `${server.name} has no page ${page.slice(0, 200)}`);
  const home = server.homeOf(shown);
  if (home === undefined || home === server.homeOf(thing)) return;
  throw new BiplaneError("POLICY_DENIED", `${thing.name} is of another server than the page that asks for it`);
}

/**
 * What a page is known by. It decides which stored data is the app's, so it is ours to say: two servers may call their
 * pages alike, and one may call its page like another's.
 */
export function pageIdentity(server: Server, uri: string): string {
  const found = server.findResource(uri);
  const home = found && server.homeOf(found.resource);
  return home === undefined ? uri : `ui://${home}/${uri.slice("ui://".length)}`;
}
