import { isAbsolute } from "node:path";
import type { LoadOptions } from "../../config/load-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Config } from "../../config/config-schema.ts";
import { sourcesOf } from "../app/sources-of.ts";
import { cleanLine } from "../terminal/clean-text.ts";

/** What `biplane serve --watch` tells the process that serves, in an environment variable. */
export interface Watched {
  /** Names of the files that changed since the last start. Empty at the first one. */
  readonly changed: readonly string[];
  /** Keeps what a store in memory would lose at a restart. */
  readonly store: string;
  /** The port of the last start, for an address with port 0. */
  readonly port: string | undefined;
}

/** What that process answers. */
export type FromWatched =
  | { readonly kind: "files"; readonly modules: readonly string[]; readonly sources: readonly string[] }
  | { readonly kind: "up"; readonly port: string };

export const watchedVariable = "BIPLANE_WATCHED";

/** Undefined in a process that is not watched. */
export function watchedProcess(): Watched | undefined {
  const text = process.env[watchedVariable];
  if (text === undefined || !process.send) return undefined;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref(); // it must not keep a process alive that failed to start
  return JSON.parse(text) as Watched;
}

/** Keeps store and port across restarts, where the config names none. */
export async function keptAcross(options: LoadOptions, { store, port }: Watched): Promise<LoadOptions> {
  const { config } = await loadConfig({ ...options, only: ["store", "listen"] });
  const address = config.listen === "stdio" ? undefined : new URL(config.listen);
  const isAnyPort = address?.port === "0";
  if (address && port !== undefined) address.port = port;
  const kept = {
    ...(config.store === undefined && { store }),
    ...(address && isAnyPort && { listen: address.origin === "null" ? address.href : address.origin }),
  };
  return { ...options, flags: { ...options.flags, ...kept } };
}

/** Names the files of a config, and later those that they import. */
export function reportFiles({ servers, environments }: Config, more: readonly string[]): void {
  const modules = [...servers, ...environments.filter((name) => isAbsolute(name)), ...more];
  send({ kind: "files", modules, sources: [] });
  void Promise.all(modules.map(sourcesOf)).then((sources) =>
    send({ kind: "files", modules: [], sources: sources.flat() }),
  );
}

/** Says where it listens, and returns what to print instead of the whole welcome. */
export function reportUp({ changed }: Watched, url: string): string | undefined {
  send({ kind: "up", port: new URL(url).port });
  return changed.length === 0 ? undefined : `  ${cleanLine(changed.join(", "))} changed. Restarted on ${url}.`;
}

function send(message: FromWatched): void {
  if (process.connected) process.send?.(message);
}
