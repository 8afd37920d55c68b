import { hostname, networkInterfaces } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Listening, Served } from "@biplane/core";
import { Environment } from "@biplane/core/internal";
import { joinFleet } from "../fleet/fleet.ts";
import type { StoreFleet } from "../fleet/fleet.ts";
import type { ProcessLoad } from "../fleet/processes.ts";
import type { Logger } from "../observe/logs.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { version } from "./version.ts";

export interface OpenFleetOptions {
  readonly store: SqlStore;
  readonly key: string;
  readonly log: Logger;
  readonly load: () => ProcessLoad;
}

/** Joins the servers that use the same database, and tells them how busy this one is. */
export function openFleet({ store, key, log, load }: OpenFleetOptions): Promise<StoreFleet> {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return joinFleet({
    store,
    key,
    kind: "server",
    name: hostname(),
    version,
    load: () => {
      const lagMs = Math.max(0, delay.percentile(99) / 1e6 - 20);
      delay.reset();
      const { rss } = process.memoryUsage();
      return { ...load(), lagMs: Math.round(lagMs), memoryMb: Math.round(rss / 2 ** 20) };
    },
    onFault: (fault, where) => log.error(`${where} failed`, { error: fault }),
  });
}

/** What this process has open. */
export function loadOf(served: readonly Served[], listening: Listening | undefined): ProcessLoad {
  const episodes = served.reduce((sum, each) => sum + (each instanceof Environment ? each.episodes.size : 0), 0);
  return { episodes, sessions: [...(listening?.connections?.connections() ?? [])].length };
}

/**
 * Where other processes reach this one: at the address that is given, else where it listens. One that listens on every
 * address is reached at the first that is not local.
 */
export function reachableAddress({ url, ownUrl }: Pick<Listening, "url" | "ownUrl">, given?: string): string {
  const address = new URL(given ?? url);
  if (ownUrl !== undefined) address.port = new URL(ownUrl).port;
  if (address.hostname !== "0.0.0.0" && address.hostname !== "[::]") return address.origin;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  address.hostname = found?.address ?? "127.0.0.1";
  return address.origin;
}
