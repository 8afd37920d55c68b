import type { Served } from "@biplane/core";
import { loadConfig } from "../config/load-config.ts";
import { knownNames } from "./known-names.ts";
import { openHost } from "./open-host.ts";
import type { Host } from "./open-host.ts";
import { openHostState } from "./state.ts";

/** Options of `startHost`. */
export interface HostOptions {
  /** Servers and environments to serve, besides those that the config file names. */
  readonly serve?: readonly Served[];
  /** The config file (default: `BIPLANE_CONFIG`, or `biplane.yaml` in `folder` if it exists). */
  readonly config?: string;
  /** Where to look for the config file and resolve its paths (default: the working directory). */
  readonly folder?: string;
  /** Settings that override the config file, by their dotted names: `{ listen: "http://127.0.0.1:0" }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * Does what `biplane serve` does, from your own program: governance, every endpoint and the admin page, as configured
 * in `biplane.yaml`.
 */
export async function startHost({ serve = [], config, folder, settings = {} }: HostOptions = {}): Promise<Host> {
  const options = {
    file: config,
    known: await knownNames(),
    flags: settings,
    ...(folder !== undefined && { folder }),
  };
  const state = await openHostState(options);
  try {
    const resolved = await loadConfig({ ...options, secret: (name) => state.secrets.get(name) });
    return await openHost({ resolved, state, more: () => serve });
  } catch (error) {
    await state[Symbol.asyncDispose]();
    throw error;
  }
}
