import { connectAll } from "@biplane/core/client";
import type { Config } from "../config/config-schema.ts";
import { scriptApprovals } from "../admin/scripts/script-decisions.ts";
import { Environment, ServerCore } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import { gallery } from "@biplane/gallery";
import type { GalleryOptions } from "@biplane/gallery";
import type { Logger } from "../observe/logs.ts";
import type { OpenAIOptions } from "../rollout/agent/openai.ts";
import type { ChatModel } from "../rollout/user.ts";
import { packs as knownPacks } from "../pack/packs.ts";
import type { Served } from "@biplane/core";
import { loadSkills } from "../skills/load-skills.ts";
import type { Runtime } from "./runtime.ts";
import { isTau2Name, tau2Names } from "../tau2/environment-names.ts";
import type { Tau2Name } from "../tau2/environment-names.ts";
import type { DomainName } from "../tau2/open-domain.ts";
import { loadModule } from "./load-module.ts";
import { mountedServers } from "./mounted-servers.ts";
import { version } from "./version.ts";

export interface LoadServedOptions {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Servers and environments besides those in the config. */
  readonly more?: readonly Served[];
}

/**
 * Loads everything the config serves. If it has packs, skills or `mcpServers`, all plain servers are mounted into one server
 * named after the config; environments stay separate.
 */
export async function loadServed(config: Config, { runtime, log, more = [] }: LoadServedOptions): Promise<Served[]> {
  const modules = (await Promise.all(config.servers.map(loadServedFile))).flat();
  const environments = await Promise.all(
    config.environments.map((name) =>
      isPath(name) ? loadServedFile(name) : builtInEnvironment(name, config.data).then((each) => [each]),
    ),
  );
  const all = [...modules, ...environments.flat(), ...more];
  const packs = await Promise.all(
    Object.entries(config.packs).map(([name, options]) =>
      packOf(name, { ...options, ...runtimeOptions(name, config, runtime) }),
    ),
  );
  const skills = (await Promise.all(config.skills.map(loadSkills))).flat();
  if (packs.length === 0 && skills.length === 0 && Object.keys(config.mcpServers).length === 0) return all;
  const root = new ServerCore({ name: config.name, version, packs, skills });
  for (const each of all) if (each instanceof ServerCore) root.mount(each.name, each);
  await connectAll(root, mountedServers(config.mcpServers), {
    onFailure: (name, error) => log.error("Mounting a server failed", { server: name, error }),
  });
  return [root, ...all.filter((each) => each instanceof Environment)];
}

export async function loadServedFile(file: string): Promise<Served[]> {
  const { default: exported } = await loadModule(file);
  const all: unknown[] = Array.isArray(exported) ? exported : [exported];
  const isServed = (each: unknown): each is Served => each instanceof ServerCore || each instanceof Environment;
  if (all.length > 0 && all.every(isServed)) return all;
  if (all.some((each) => /^(Server|Environment)$/.test(each?.constructor.name ?? "")))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${file} imports a different copy of biplane than this program. Run npx biplane in its folder instead.`,
    );
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${file} has no server or environment as its default export. Add one, such as export default server({ … }).`,
  );
}

function isPath(name: string): boolean {
  return /^[./]|^[A-Za-z]:[\\/]/.test(name);
}

/** An environment of the gallery, or of tau2 from the folder with its data. */
export async function builtInEnvironment(
  name: string,
  folder: string | undefined,
  models: SimulationModels = {},
): Promise<Environment> {
  if (isTau2Name(name)) return openTau2(name, folder, models);
  const make = Object.hasOwn(gallery, name) ? gallery[name] : undefined;
  if (make) return make(await userOf(models));
  throw unknown("environment", name, [...Object.keys(gallery), ...tau2Names]);
}

/** The simulated user of an environment that has one. */
async function userOf({ user }: SimulationModels): Promise<GalleryOptions | undefined> {
  if (!user) return undefined;
  const { modelCustomer } = await import("../rollout/model-customer.ts");
  return { user: modelCustomer(user) };
}

/** The models that play the user and judge in environments that need them. */
export interface SimulationModels {
  readonly user?: OpenAIOptions | undefined;
  readonly judge?: ChatModel | undefined;
}

async function openTau2(
  name: Tau2Name,
  folder: string | undefined,
  { user, judge }: SimulationModels,
): Promise<Environment> {
  if (folder === undefined)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${name} needs the published data of tau2-bench. Pass its folder data/tau2 with --data, as data in the config file, or in BIPLANE_DATA.`,
    );
  const { tau2Environment } = await import("../tau2/tau2-environment.ts");
  const { modelCustomer } = await import("../rollout/model-customer.ts");
  return tau2Environment({
    domain: name.slice("tau2-".length) as DomainName,
    folder,
    ...(user && { user: modelCustomer(user) }),
    ...(judge && { judge }),
  });
}

/** Options that a config file cannot express, because they are objects of the runtime. */
function runtimeOptions(name: string, config: Config, { secrets, approvals }: Runtime): Record<string, unknown> {
  switch (name) {
    case "script":
      return { secrets: (secret: string) => secrets.get(secret), approvals: scriptApprovals(approvals, config.name) };
    case "approvals":
      return { approvals, server: config.name, publicUrl: () => config.http?.publicUrl ?? config.listen };
    default:
      return {};
  }
}

async function packOf(name: string, options: Readonly<Record<string, unknown>>) {
  const known = Object.hasOwn(knownPacks, name) ? knownPacks[name] : undefined;
  if (!known) throw unknown("pack", name, Object.keys(knownPacks));
  return known.open(options);
}

function unknown(what: string, name: string, known: readonly string[]): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `Unknown ${what} ${JSON.stringify(name)}. Known: ${known.join(", ")}.`);
}
