import { connectAll } from "@biplane/core/client";
import type { ConnectAllOptions, RemoteOptions, RemoteServer, ServerEntry } from "@biplane/core/client";
import { ServerCore } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import { version } from "../../host/version.ts";
import { warn } from "../terminal/warn.ts";

type Servers = Readonly<Record<string, ServerEntry>>;

/** Mounts servers into one server. Warns of those that fail, and throws if all do. */
export async function mountServers(
  server: ServerCore,
  servers: Servers,
  options: ConnectAllOptions,
): Promise<ReadonlyMap<string, RemoteServer>> {
  const isSingle = Object.keys(servers).length === 1;
  let fatal: BiplaneError | undefined;
  const mounted = await connectAll(server, servers, {
    ...options,
    onFailure: (name, error) => {
      const isConflict = error.details?.["conflict"] !== undefined; // prefixes are off
      if (isSingle || isConflict) fatal ??= error;
      else warn(`Skipping ${name}: ${error.message}`);
    },
  });
  if (fatal) throw fatal;
  if (mounted.size === 0) throw new BiplaneError("EXECUTION_ERROR", "None of the servers could be reached.");
  return mounted;
}

/** Servers elsewhere as one server in this process, without limits. */
export async function combinedServer(servers: Servers, options: RemoteOptions): Promise<ServerCore> {
  const server = new ServerCore({ name: "target", version, limits: false, onFault: (fault) => warn(String(fault)) });
  try {
    await mountServers(server, servers, options);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
