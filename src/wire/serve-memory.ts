import type { ServeOptions } from "../server/listening.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import { memoryPipe } from "../transport/memory.ts";
import type { MemoryEnd } from "../transport/memory.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";

/** MCP in this process, message by message, as over any other wire. Returns the client's end. */
export function serveMemory(server: Server, principal: Principal, options: ServeOptions = {}): MemoryEnd {
  const [ours, theirs] = memoryPipe();
  const endpoint = new Endpoint(server, options);
  const outbox = { send: (message: string | Uint8Array) => channel.send(message), close: () => channel.close() };
  const connection = new ChannelConnection(endpoint, outbox, { principal, onClosed: () => endpoint.close() });
  const channel = ours(connection);
  return theirs;
}
