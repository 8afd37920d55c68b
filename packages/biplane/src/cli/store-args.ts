import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { needsStore } from "../host/state.ts";

/** Options of every command that opens the store. */
export const storeArgs = {
  config: { type: "string", description: "The config file (default: BIPLANE_CONFIG, or biplane.yaml)" },
  store: {
    type: "string",
    description: "The SQLite file or Postgres URL (default: BIPLANE_STORE, or store in the config file)",
  },
} as const;

export function storeOptions(args: { config?: string | undefined; store?: string | undefined }): LoadOptions {
  return { file: args.config, flags: { store: args.store } };
}

/** The store that the options or the config file name. For commands that need no secrets. */
export async function storeLocation(args: Parameters<typeof storeOptions>[0]): Promise<string> {
  const { config } = await loadConfig({ ...storeOptions(args), only: ["store"] });
  if (config.store !== undefined) return config.store;
  throw needsStore();
}
