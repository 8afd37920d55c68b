import { connectAll } from "../client/config/connect-all.ts";
import type { Config } from "../config/config-schema.ts";
import { scriptApprovals } from "../desk/script-decisions.ts";
import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import { gallery } from "../gallery/gallery.ts";
import type { Logger } from "../observe/logs.ts";
import { packs as knownPacks } from "../pack/packs.ts";
import { Server } from "../server/server.ts";
import type { Served } from "../wire/wing.ts";
import type { House } from "./house.ts";
import { loadModule } from "./load-module.ts";
import { version } from "./version.ts";

export interface ServedParts {
  readonly house: House;
  readonly log: Logger;
  /** What else is served. */
  readonly more?: readonly Served[];
}

/** What a config serves: its modules and environments; packs and mounted servers make one house of all plain servers. */
export async function servedBy(config: Config, { house, log, more = [] }: ServedParts): Promise<Served[]> {
  const modules = (await Promise.all(config.servers.map(fromFile))).flat();
  const environments = await Promise.all(
    config.environments.map((name) => (isPath(name) ? fromFile(name) : Promise.resolve([fromGallery(name)]))),
  );
  const all = [...modules, ...environments.flat(), ...more];
  const packs = await Promise.all(
    Object.entries(config.packs).map(([name, options]) =>
      packOf(name, { ...options, ...givenTo(name, config, house) }),
    ),
  );
  if (packs.length === 0 && Object.keys(config.mcpServers).length === 0) return all;
  const root = new Server({ name: config.name, version, packs });
  for (const each of all) if (each instanceof Server) root.mount(each.name, each);
  await connectAll(root, config.mcpServers, {
    onFailure: (name, error) => log.error("a server could not be mounted", { server: name, error }),
  });
  return [root, ...all.filter((each) => each instanceof Environment)];
}

export async function fromFile(file: string): Promise<Served[]> {
  const { default: exported } = await loadModule(file);
  const all: unknown[] = Array.isArray(exported) ? exported : [exported];
  const isServed = (each: unknown): each is Served => each instanceof Server || each instanceof Environment;
  if (all.length > 0 && all.every(isServed)) return all;
  if (all.some((each) => /^(Server|Environment)$/.test(each?.constructor.name ?? "")))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${file} has its server from another copy of biplane than this program: run npx biplane in its folder`,
    );
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${file} must have a server or an environment as its default export, such as export default server({ … })`,
  );
}

function isPath(name: string): boolean {
  return /^[./]|^[A-Za-z]:[\\/]/.test(name);
}

function fromGallery(name: string): Environment {
  const make = Object.hasOwn(gallery, name) ? gallery[name] : undefined;
  if (make) return make();
  throw unknown("environment", name, Object.keys(gallery));
}

/** What a pack gets of the house that no config file could say. */
function givenTo(name: string, config: Config, { secrets, approvals }: House): Record<string, unknown> {
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
  return new BiplaneError(
    "INVALID_DEFINITION",
    `there is no ${what} ${JSON.stringify(name)}; there are ${known.join(", ")}`,
  );
}
