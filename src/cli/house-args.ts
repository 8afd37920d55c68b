import type { LoadOptions } from "../config/load-config.ts";

/** The options of every command that works on what a house keeps. */
export const houseArgs = {
  config: { type: "string", description: "The config file; left out, biplane.yaml or BIPLANE_CONFIG" },
  store: { type: "string", description: "The SQLite file, before what the config file says" },
} as const;

export function houseOptions(args: { config?: string | undefined; store?: string | undefined }): LoadOptions {
  return { file: args.config, flags: { store: args.store } };
}
