import { resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf, readTextFile } from "@biplane/core/internal";
import { resolveConfig } from "./resolve-config.ts";
import type { ConfigFile, ResolvedConfig, ResolveOptions } from "./resolve-config.ts";
import { maxConfigLength } from "./yaml-source.ts";

export interface LoadOptions extends Omit<ResolveOptions, "file"> {
  /** Default: `BIPLANE_CONFIG`, or else `biplane.yaml` in the working directory, if it exists. */
  readonly file?: string | undefined;
}

/** Reads and checks the config file, then applies the environment and the command line. */
export async function loadConfig(options: LoadOptions = {}): Promise<ResolvedConfig> {
  const { file, environment = process.env, folder = process.cwd() } = options;
  const named = file ?? (environment["BIPLANE_CONFIG"] || undefined);
  const found = await readConfigFile(named ?? defaultName, { folder, isRequired: named !== undefined });
  return resolveConfig({ ...options, file: found });
}

const defaultName = "biplane.yaml";

/** Returns undefined if the file does not exist and is optional. */
async function readConfigFile(
  name: string,
  { folder, isRequired }: { readonly folder: string; readonly isRequired: boolean },
): Promise<ConfigFile | undefined> {
  try {
    return { name, text: await readTextFile(resolve(folder, name), { maxBytes: 4 * maxConfigLength }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      if (!isRequired) return undefined;
      throw new BiplaneError("INVALID_DEFINITION", `There is no config file ${name}.`);
    }
    throw new BiplaneError("INVALID_DEFINITION", `Cannot read the config file ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
