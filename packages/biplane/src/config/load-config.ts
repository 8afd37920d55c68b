import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
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
  const found = await readConfigFile(named ?? defaultName, folder, named !== undefined);
  return resolveConfig({ ...options, file: found });
}

const defaultName = "biplane.yaml";
/** Opening a pipe would block until something writes to it. */
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Returns undefined if the file does not exist and is optional. */
async function readConfigFile(name: string, folder: string, isRequired: boolean): Promise<ConfigFile | undefined> {
  try {
    await using handle = await open(resolve(folder, name), nonBlocking);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error("it is a folder. Pass the path of the file in it");
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > 4 * maxConfigLength) throw new Error(`it is larger than ${maxConfigLength} characters`);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await handle.readFile());
    return { name, text };
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
