import { basename } from "node:path";
import { unknownName } from "../call/rules/near-miss.ts";
import { foreignEnvironment } from "../client/gym/foreign-environment.ts";
import type { ForeignEnvironmentOptions } from "../client/gym/foreign-environment.ts";
import { episodeFolder } from "../client/gym/episode-servers.ts";
import { readServers } from "../client/config/read-servers.ts";
import type { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { Logger } from "../observe/logs.ts";
import { loadModule } from "./load-module.ts";
import { answerInput } from "./target/answer-input.ts";

/** `biplane serve --gym config.json --reward ./reward.ts`: the servers of a file as an environment. */
export async function gymOf(file: string, rewardFile: string | undefined, log: Logger): Promise<Environment> {
  const { servers, faults, warnings } = await readServers(file, {
    input: answerInput,
    variables: { episodeFolder },
  });
  for (const warning of warnings) log.warn(warning);
  for (const { name, error } of faults) log.error("a server is left out", { server: name, error });
  const judge = rewardFile === undefined ? {} : await readJudge(rewardFile);
  return foreignEnvironment({
    name: nameOf(file),
    servers,
    onFailure: (name, error) => log.error("a server could not be reached", { server: name, error }),
    ...judge,
  });
}

/** A function is the reward; an object, or named exports, may have more. */
async function readJudge(file: string): Promise<Partial<ForeignEnvironmentOptions>> {
  const loaded: Readonly<Record<string, unknown>> = { ...(await loadModule(file)) };
  const { default: exported, ...named } = loaded;
  const given =
    typeof exported === "function" ? { ...named, reward: exported } : { ...named, ...(exported as object | undefined) };
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined)
    throw new BiplaneError("INVALID_DEFINITION", `${file}: ${unknown} ${unknownName(unknown, allowed, "known here")}`);
  if (!("reward" in given) || typeof given.reward !== "function")
    throw new BiplaneError("INVALID_DEFINITION", `${file} must have the reward as its default export, a function`);
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

/** `mcp.json` and the like say nothing, and some such names are doors. */
function nameOf(file: string): string {
  const name = basename(file)
    .replace(/\.jsonc?$/i, "")
    .replaceAll(/[^\w-]+/g, "-");
  return /^$|^(api|mcp|e|env|control|k|config|servers|claude_desktop_config)$/.test(name) ? "gym" : name;
}
