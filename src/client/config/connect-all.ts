import { BiplaneError, messageOf } from "../../errors.ts";
import type { MountOptions } from "../../server/mount.ts";
import type { Server } from "../../server/server.ts";
import type { RemoteOptions } from "../mount/remote-server.ts";
import { remoteServer } from "../mount/remote-server.ts";

/** A server as desktop hosts write it: a program to start, or the address of one that runs. */
export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ConnectAllOptions extends MountOptions, RemoteOptions {
  /** Told of each server that could not be reached; the others are served. */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/** Connects to all of them at once and mounts them in `house`, in the order they are written. */
export async function connectAll(
  house: Server,
  servers: Readonly<Record<string, ServerEntry>>,
  options: ConnectAllOptions = {},
): Promise<void> {
  const { onFailure, ...rest } = options;
  const entries = Object.entries(servers);
  const opened = await Promise.allSettled(
    entries.map(([name, entry]) => remoteServer(targetOf(name, entry), { name, ...headersOf(entry), ...rest })),
  );
  for (const [at, result] of opened.entries()) {
    const name = entries[at]?.[0] ?? "";
    try {
      if (result.status === "rejected") throw result.reason;
      house.mount(name, result.value, rest);
      house.whenClosed(() => result.value.close());
    } catch (error) {
      if (result.status === "fulfilled") await result.value.close();
      onFailure?.(name, failure(name, error));
    }
  }
}

function targetOf(name: string, { command, args = [], env, cwd, url }: ServerEntry) {
  if (command !== undefined) return { command, args, ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  if (url !== undefined) return url;
  throw new BiplaneError("INVALID_DEFINITION", `the server ${JSON.stringify(name)} needs a command or a url`);
}

function headersOf({ headers }: ServerEntry): Pick<RemoteOptions, "headers"> {
  return headers ? { headers } : {};
}

function failure(name: string, error: unknown): BiplaneError {
  return error instanceof BiplaneError
    ? error
    : new BiplaneError("EXECUTION_ERROR", `${name} could not be mounted: ${messageOf(error)}`, { cause: error });
}
