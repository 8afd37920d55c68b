import { Environment } from "../../environment/environment.ts";
import { serverOf } from "../served.ts";
import type { Served } from "../served.ts";

export type Endpoint = Awaited<ReturnType<typeof openEndpoint>>;

/** What is served, as MCP sees it: an endpoint of people's own beside that of the port. */
export async function openEndpoint(served: Served) {
  const [{ Endpoint }, { Seating }] = await Promise.all([
    import("../../wire/mcp/endpoint.ts"),
    import("../../wire/mcp/seating.ts"),
  ]);
  const seating = served instanceof Environment ? new Seating(served.episodes) : undefined;
  return new Endpoint(serverOf(served), { seating });
}
