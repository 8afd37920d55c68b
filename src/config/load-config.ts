import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { BiplaneError, messageOf } from "../errors.ts";
import { resolveConfig } from "./resolve-config.ts";
import type { ConfigFile, ResolvedConfig, ResolveOptions } from "./resolve-config.ts";
import { longestText } from "./yaml-source.ts";

export interface LoadOptions extends Omit<ResolveOptions, "file"> {
  /** Left out: what BIPLANE_CONFIG names, else `biplane.yaml` in the working directory, if there is one. */
  readonly file?: string | undefined;
}

/** Reads the config file, checks it, and lays environment and command line over it. */
export async function loadConfig(options: LoadOptions = {}): Promise<ResolvedConfig> {
  const { file, environment = process.env, folder = process.cwd() } = options;
  const named = file ?? (environment["BIPLANE_CONFIG"] || undefined);
  const found = await readConfigFile(named ?? usualName, folder, named !== undefined);
  return resolveConfig({ ...options, file: found });
}

const usualName = "biplane.yaml";
/** Opening a pipe would wait for somebody to write to it. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Undefined where it is not there and need not be. */
async function readConfigFile(name: string, folder: string, mustBe: boolean): Promise<ConfigFile | undefined> {
  try {
    await using handle = await open(resolve(folder, name), withoutWaiting);
    const about = await handle.stat();
    if (about.isDirectory()) throw new Error("it is a folder; name the file in it");
    if (!about.isFile()) throw new Error("it is not a file");
    if (about.size > 4 * longestText) throw new Error(`it is larger than ${longestText} characters`);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await handle.readFile());
    return { name, text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      if (!mustBe) return undefined;
      throw new BiplaneError("INVALID_DEFINITION", `there is no config file ${name}`);
    }
    throw new BiplaneError("INVALID_DEFINITION", `cannot read the config file ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
