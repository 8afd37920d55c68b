import { BiplaneError, messageOf } from "../../errors.ts";
import type { MountOptions } from "../../server/mount.ts";
import { serverOf } from "../../environment/served.ts";
import type { Server } from "../../server/server.ts";
import type { RemoteOptions, RemoteServer } from "../mount/remote-server.ts";
import { remoteServer } from "../mount/remote-server.ts";
import type { ServerEntry } from "./server-entry.ts";

export interface ConnectAllOptions extends MountOptions, RemoteOptions {
  /** Called for each server that could not be connected or mounted. The others are still served. */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/**
 * Connects to all servers in parallel and mounts them in the given order. Returns the connected ones by name; they are
 * closed with `server`.
 */
export async function connectAll(
  server: Server,
  servers: Readonly<Record<string, ServerEntry>>,
  options: ConnectAllOptions = {},
): Promise<ReadonlyMap<string, RemoteServer>> {
  const { onFailure, ...rest } = options;
  const entries = Object.entries(servers);
  const opened = await Promise.allSettled(entries.map(([name, entry]) => open(name, entry, rest)));
  const mounted = new Map<string, RemoteServer>();
  for (const [at, result] of opened.entries()) {
    const name = entries[at]?.[0] ?? "";
    try {
      if (result.status === "rejected") throw result.reason;
      if (options.prefix === "never") rejectConflicts(server, result.value, { name, mounted });
      server.mount(prefixOf(name), result.value, rest);
      serverOf(server).whenClosed(() => result.value.close());
      mounted.set(name, result.value);
    } catch (error) {
      if (result.status === "fulfilled") await result.value.close();
      onFailure?.(name, failure(name, error));
    }
  }
  return mounted;
}

async function open(name: string, entry: ServerEntry, options: RemoteOptions): Promise<RemoteServer> {
  const headers = { ...options.headers, ...entry.headers };
  const oauth = entry.oauth ?? options.oauth;
  return remoteServer(targetOf(name, entry), { name, ...options, headers, ...(oauth && { oauth }) });
}

function targetOf(name: string, { command, args = [], env, cwd, url }: ServerEntry) {
  if (command !== undefined) return { command, args, ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  if (url !== undefined) return url;
  throw new BiplaneError("INVALID_DEFINITION", `The server ${JSON.stringify(name)} needs a command or a url.`);
}

/** Server names in config files allow characters that tool names do not. */
function prefixOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 48) || "server";
}

/** Without prefixes, two servers cannot offer the same name. The error names both. */
function rejectConflicts(
  server: Server,
  remote: RemoteServer,
  { name, mounted }: { name: string; mounted: ReadonlyMap<string, RemoteServer> },
): void {
  for (const thing of [...remote.catalog.tools.values(), ...remote.catalog.prompts.values()]) {
    if (!server.catalog.has(thing)) continue;
    const owner = [...mounted].find(([, other]) => other.catalog.has(thing))?.[0] ?? server.name;
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${JSON.stringify(thing.name)} is offered by ${owner} and by ${name}, and prefixes are off. Remove one server, or allow prefixes.`,
      { details: { conflict: thing.name, between: [owner, name] } },
    );
  }
}

function failure(name: string, error: unknown): BiplaneError {
  return error instanceof BiplaneError
    ? error
    : new BiplaneError("EXECUTION_ERROR", `${name} could not be mounted: ${messageOf(error)}`, { cause: error });
}
