import { connect } from "@biplane/core/client";
import type { Client, ConnectOptions } from "@biplane/core/client";
import { Environment } from "@biplane/core/internal";
import type { Served } from "@biplane/core";
import { warn } from "../terminal/warn.ts";
import { combinedServer } from "./mount-servers.ts";
import { openServed } from "./open-served.ts";
import type { WrittenTarget } from "./read-target.ts";
import { serversOf } from "./servers-of.ts";

/** A connected client. Disposing it also closes what was started for it. */
export interface OpenTarget extends AsyncDisposable {
  readonly client: Client;
}

/** Connects to a target, and starts it first if it does not run yet. */
export async function openTarget(target: WrittenTarget, options: ConnectOptions = {}): Promise<OpenTarget> {
  const settings: ConnectOptions = { onWarning: warn, graceMs: 500, ...options };
  const servers = await serversOf(target);
  if (!servers) return connectServed(await openServed(target), settings);
  const [only, second] = Object.values(servers);
  if (!only || second) return connectServed(await combinedServer(servers, {}), settings);
  const { command, url, headers, ...more } = only;
  const address = command === undefined ? (url ?? "") : { command, ...more };
  return held(
    await connect(address, { ...settings, ...(headers && { headers: { ...settings.headers, ...headers } }) }),
  );
}

async function connectServed(served: Served, options: ConnectOptions): Promise<OpenTarget> {
  const close = () => served.close();
  if (!(served instanceof Environment)) return held(await connect(served, options), close);
  // An episode belongs to an MCP session, so this uses HTTP on a free port and the protocol version with sessions.
  const { url } = await served.serve("http://127.0.0.1:0");
  const { headers: _, bearer: __, ...rest } = options;
  return held(await connect(`${url}/mcp`, { ...rest, era: "legacy" }), close);
}

function held(client: Client, close: () => Promise<void> = async () => undefined): OpenTarget {
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await close();
    },
  };
}
