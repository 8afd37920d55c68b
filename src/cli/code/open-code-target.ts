import { connectAll } from "../../client/config/connect-all.ts";
import type { RemoteOptions } from "../../client/mount/remote-server.ts";
import type { Environment } from "../../environment/environment.ts";
import { BiplaneError } from "../../errors.ts";
import { gallery } from "../../gallery/gallery.ts";
import { packs } from "../../pack/packs.ts";
import { Server } from "../../server/server.ts";
import { packFlags, withPacks } from "../pack-flags.ts";
import { fromFile } from "../served.ts";
import { readConfig } from "../target/open-target.ts";
import type { WrittenTarget } from "../target/read-target.ts";
import { remark } from "../terminal/friendly.ts";
import { version } from "../version.ts";

/** What code runs against: an environment, or a server in this process, in which those elsewhere are mounted. */
export type CodeTarget = Environment | Server;

export async function openCodeTarget(target: WrittenTarget, options: RemoteOptions): Promise<CodeTarget> {
  switch (target.kind) {
    case "gallery":
      return (gallery[target.name] as () => Environment)();
    case "module":
      return onlyOne(target.file, await fromFile(target.file));
    case "url":
      return house((server) => server.mount("target", target.url, options));
    case "command":
      return house((server) => server.mount("target", { command: target.command, args: target.args }, options));
    case "config":
      return house((server) => mountAll(server, target));
  }
}

/** A pack by its name, such as `workspace` or `workspace=./notes`; undefined where the text names none. */
export async function openPack(text: string): Promise<Server | undefined> {
  const [name = ""] = text.split("=");
  const known = Object.hasOwn(packs, name) ? packs[name] : undefined;
  if (!known) return undefined;
  const pack = await known.open(withPacks({}, packFlags(["--pack", text]))[name] ?? {});
  return new Server({ name, version, limits: false, packs: [pack] });
}

async function house(mount: (server: Server) => Promise<unknown>): Promise<Server> {
  const server = new Server({ name: "code", version, limits: false, onFault: (fault) => remark(String(fault)) });
  try {
    await mount(server);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function mountAll(server: Server, { file, server: only }: { file: string; server: string | undefined }) {
  const { servers } = await readConfig(file, only === undefined ? undefined : [only]);
  const mounted = await connectAll(server, servers, {
    onFailure: (name, error) => remark(`${name} is left out: ${error.message}`),
  });
  if (mounted.size === 0) throw new BiplaneError("EXECUTION_ERROR", `none of the servers of ${file} could be reached`);
}

function onlyOne(file: string, served: readonly CodeTarget[]): CodeTarget {
  const [first] = served;
  if (first && served.length === 1) return first;
  throw new BiplaneError("INVALID_DEFINITION", `${file} exports ${served.length} servers: code runs against one`);
}
