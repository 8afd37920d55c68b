import { Environment, serverOf } from "@biplane/core/internal";
import type { Served } from "@biplane/core";

export type AdminEndpointClient = Awaited<ReturnType<typeof openMcpEndpoint>>;

/** Opens an MCP endpoint of its own for calls from the page. */
export async function openMcpEndpoint(served: Served) {
  const { Endpoint, EpisodeResolver } = await import("@biplane/core/wire");
  const resolver = served instanceof Environment ? new EpisodeResolver(served, {}) : undefined;
  return new Endpoint(serverOf(served), { resolver });
}
