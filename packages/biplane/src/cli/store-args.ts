import type { LoadOptions } from "../config/load-config.ts";

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
