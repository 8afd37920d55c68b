import { Environment } from "../environment/environment.ts";
import { serverOf } from "../environment/served.ts";
import type { Served } from "../environment/served.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { Principal } from "../tool/call.ts";
import { memoryPipe } from "../transport/memory.ts";
import type { MemoryEnd } from "../transport/memory.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { EpisodeResolver } from "./mcp/episode-resolver.ts";

/** Serves MCP inside this process, as over any other transport. Returns the client's end. */
export function serveMemory(served: Served, principal: Principal, options: ServeOptions = {}): MemoryEnd {
  const [ours, theirs] = memoryPipe();
  const resolver = served instanceof Environment ? new EpisodeResolver(served, {}) : undefined;
  const endpoint = new Endpoint(serverOf(served), { ...options, resolver });
  const outbox = { send: (message: string | Uint8Array) => channel.send(message), close: () => channel.close() };
  const connection = new ChannelConnection(endpoint, outbox, {
    principal,
    onClosed: () => endpoint.close(),
  });
  const channel = ours(connection);
  return theirs;
}
