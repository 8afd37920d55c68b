import { existsSync } from "node:fs";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { isPostgres } from "../store/sql-store.ts";
import type { HostState } from "../host/state.ts";

/**
 * The store and the secrets for a check, which must not create the store: if there is none, the secrets are those of
 * the environment. Undefined if the config is invalid.
 */
export async function existingState(options: LoadOptions): Promise<HostState | undefined> {
  let store: string | undefined;
  try {
    ({ store } = (await loadConfig({ ...options, only: ["store", "secrets"] })).config);
  } catch {
    return undefined; // The check of the whole file reports the same error.
  }
  const { openHostState } = await import("../host/state.ts");
  return openHostState(
    isExistingStore(store) ? options : { ...options, flags: { ...options.flags, store: ":memory:" } },
  );
}

/** True for a SQLite file that exists, and for a Postgres URL, which opening does not create. */
export function isExistingStore(store: string | undefined): store is string {
  return store !== undefined && (isPostgres(store) || existsSync(store));
}
