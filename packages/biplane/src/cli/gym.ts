import { basename } from "node:path";
import { episodeFolder, nearest } from "@biplane/core/internal";
import { foreignEnvironment } from "@biplane/core/client";
import type { ForeignEnvironmentOptions } from "@biplane/core/client";
import type { Environment } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { readServerFile } from "../config/read-server-file.ts";
import type { Logger } from "../observe/logs.ts";
import { loadModule } from "../host/load-module.ts";
import { answerInput } from "./target/answer-input.ts";

export interface GymOptions {
  /** A module whose default export is the reward function (default: no reward). */
  readonly rewardFile: string | undefined;
  readonly log: Logger;
}

/** `biplane serve --gym config.json --reward ./reward.ts`: the MCP servers of a config file as one environment. */
export async function loadGym(file: string, { rewardFile, log }: GymOptions): Promise<Environment> {
  const { servers, faults, warnings } = await readServerFile(file, {
    input: answerInput,
    variables: { episodeFolder },
  });
  for (const warning of warnings) log.warn(warning);
  for (const { name, error } of faults) log.error("Skipping a server with an invalid entry", { server: name, error });
  const options = rewardFile === undefined ? {} : await readRewardModule(rewardFile);
  return foreignEnvironment({
    name: nameOf(file),
    servers,
    onFailure: (name, error) => log.error("Connecting to a server failed", { server: name, error }),
    ...options,
  });
}

/** The default export is the reward function, or an object of options; named exports are options too. */
async function readRewardModule(file: string): Promise<Partial<ForeignEnvironmentOptions>> {
  const loaded: Readonly<Record<string, unknown>> = { ...(await loadModule(file)) };
  const { default: exported, ...named } = loaded;
  const given =
    typeof exported === "function" ? { ...named, reward: exported } : { ...named, ...(exported as object | undefined) };
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${file} exports ${unknown}, which is not an option. Did you mean ${nearest(unknown, allowed) ?? allowed.join(", ")}?`,
    );
  if (!("reward" in given) || typeof given.reward !== "function")
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${file} has no reward. Export a function as default: (step) => number.`,
    );
  return given as Partial<ForeignEnvironmentOptions>;
}

const allowed = [
  "reward",
  "status",
  "observe",
  "name",
  "title",
  "description",
  "version",
  "shared",
  "tasks",
  "prefix",
  "maxEpisodes",
];

/** Named after the file, unless that name is generic (`mcp.json`) or a path of the server (`/env`). */
function nameOf(file: string): string {
  const name = basename(file)
    .replace(/\.(jsonc?|ya?ml)$/i, "")
    .replaceAll(/[^\w-]+/g, "-");
  return /^$|^(api|mcp|e|env|control|k|config|servers|claude_desktop_config)$/.test(name) ? "gym" : name;
}
