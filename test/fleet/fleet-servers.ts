import type { Served } from "@biplane/core";
import { openStore } from "biplane/store";
import { joinFleet } from "../../packages/biplane/src/fleet/fleet.ts";
import type { StoreFleet } from "../../packages/biplane/src/fleet/fleet.ts";
import { modernMeta } from "../wire/endpoints.ts";
import type { Json } from "../wire/endpoints.ts";

/** One of several servers on the same database, in this process. */
export interface FleetServer extends AsyncDisposable {
  readonly url: string;
  readonly fleet: StoreFleet;
  /** Sends a request of MCP 2026-07-28. */
  ask(method: string, params: Json, headers?: Record<string, string>): Promise<Json>;
  /** As the others do it if this process does not answer for some time. */
  beGivenUp(): Promise<void>;
  /** Leaves without a word to the others, as a crash would. */
  vanish(): Promise<void>;
}

export async function startFleetServer(location: string, create: () => Served): Promise<FleetServer> {
  const store = await openStore(location);
  const onFault = () => undefined;
  const fleet = await joinFleet({
    store,
    key: "the same",
    kind: "server",
    name: "test",
    version: "1",
    load: () => ({}),
    onFault,
  });
  const server = create().govern({ store, fleet });
  const { url } = await server.serve({ url: "http://127.0.0.1:0", graceMs: 1 });
  await fleet.listenAt(url);
  let hasLeft = false;
  const beGivenUp = async () => {
    await store.db.deleteFrom("processes").where("id", "=", fleet.processId).execute();
  };
  return {
    url,
    fleet,
    async ask(method, params, headers = {}) {
      const _meta = modernMeta({ extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} });
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
          ...(typeof params["taskId"] === "string" && { "mcp-name": params["taskId"] }),
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
      });
      return (await response.json()) as Json;
    },
    beGivenUp,
    async vanish() {
      hasLeft = true;
      await beGivenUp();
      await store.close();
    },
    async [Symbol.asyncDispose]() {
      if (!hasLeft) await server.close();
      await fleet[Symbol.asyncDispose]();
      if (!hasLeft) await store.close();
    },
  };
}
