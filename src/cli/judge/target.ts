import { readFile } from "node:fs/promises";
import { Environment } from "../../environment/environment.ts";
import { BiplaneError } from "../../errors.ts";
import { gallery } from "../../gallery/gallery.ts";
import type { RolloutTarget, ServersConfig } from "../../rollout/make.ts";
import { readRows, seedRows, taskRows } from "../../rollout/row.ts";
import type { Row } from "../../rollout/row.ts";
import { loadModule } from "../load-module.ts";

/** The options that say where to play. */
export const targetArgs = {
  env: {
    type: "string",
    description: `One of the gallery (${Object.keys(gallery).join(", ")}), or a file that exports one`,
  },
  url: { type: "string", description: "The address of a server: …/mcp for MCP and Eval Protocol, else OpenEnv" },
  servers: { type: "string", description: "A JSON file with mcpServers, whose tools are offered together" },
  kind: {
    type: "string",
    description: "What the address is of, where it cannot be told: eval-protocol, openenv or mcp",
  },
} as const;

/** The options that say what to play. */
export const rowArgs = {
  rows: { type: "string", description: "A JSONL file of rows, as Eval Protocol writes them" },
  split: { type: "string", description: "Take the rows from the environment's own tasks of that split" },
  number: { type: "string", alias: "n", description: "How many rows; without --rows and --split, as many seeds" },
  seed: { type: "string", description: "The first seed: 0", default: "0" },
  prompt: { type: "string", description: "The prompt's template, such as 'You see {observation}'", default: "" },
  system: { type: "string", description: "The system's message", default: "" },
} as const;

/** Settings of a run that are kept with it, so that it can be resumed or played again. */
export type RunSettings = Readonly<Record<string, string | boolean | undefined>>;

/** Where to play. What is opened here is closed by the returned function. */
export async function openTarget(
  settings: RunSettings,
): Promise<{ target: RolloutTarget; close: () => Promise<void> }> {
  const { env, url, servers } = settings;
  const given = [env, url, servers].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "say where to play: --env with one of the gallery or a file, --url, or --servers",
    );
  if (typeof url === "string") return { target: url, close: async () => undefined };
  if (typeof servers === "string") return { target: await readServers(servers), close: async () => undefined };
  const environment = await openEnvironment(String(env));
  return { target: environment, close: () => environment.close() };
}

/** What kind of server was said to be at the address. */
export function kindOf({ kind }: RunSettings): { kind?: (typeof kinds)[number] } {
  if (kind === undefined) return {};
  const known = kinds.find((each) => each === kind);
  if (known) return { kind: known };
  throw new BiplaneError("INVALID_DEFINITION", `--kind must be one of ${kinds.join(", ")}, not ${String(kind)}`);
}

const kinds = ["eval-protocol", "openenv", "mcp"] as const;

/** What to play. */
export async function openRows(target: RolloutTarget, settings: RunSettings): Promise<Row[]> {
  const { rows, split, prompt, system } = settings;
  const number = settings["number"] === undefined ? undefined : wholeNumber("number", settings["number"]);
  if (typeof rows === "string") return (await readRows(rows)).slice(0, number);
  if (typeof split === "string") {
    if (!(target instanceof Environment))
      throw new BiplaneError("INVALID_DEFINITION", "--split needs --env: tasks are an environment's own");
    return (await taskRows(target, split)).slice(0, number);
  }
  const first = wholeNumber("seed", settings["seed"] ?? "0");
  const seeds = Array.from({ length: number ?? 1 }, (_, at) => first + at);
  return seedRows(seeds, { prompt: String(prompt ?? ""), system: String(system ?? "") });
}

/** A whole number from the command line. */
export function wholeNumber(name: string, text: string | boolean, least = 0): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `--${name} must be a whole number from ${least} up, not ${String(text)}`,
  );
}

async function openEnvironment(name: string): Promise<Environment> {
  const make = Object.hasOwn(gallery, name) ? gallery[name] : undefined;
  if (make) return make();
  if (!/[./\\]/.test(name))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `there is no environment ${JSON.stringify(name)}; there are ${Object.keys(gallery).join(", ")}`,
    );
  const { default: exported } = await loadModule(name);
  if (exported instanceof Environment) return exported;
  throw new BiplaneError("INVALID_DEFINITION", `${name} must have an environment as its default export`);
}

async function readServers(file: string): Promise<ServersConfig> {
  const config = JSON.parse(await readFile(file, "utf8")) as Partial<ServersConfig>;
  if (config.mcpServers) return config as ServersConfig;
  throw new BiplaneError("INVALID_INPUT", `${file} has no mcpServers`);
}
