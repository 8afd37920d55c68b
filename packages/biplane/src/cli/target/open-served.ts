import { ServerCore } from "@biplane/core/internal";
import type { RemoteOptions } from "@biplane/core/client";
import type { Served } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { readSessionRecordings } from "../../recording/read-sessions.ts";
import { environmentFromRecording } from "../../recording/recorded-environment.ts";
import { packs } from "../../pack/packs.ts";
import { builtInEnvironment, loadServedFile } from "../../host/served.ts";
import type { SimulationModels } from "../../host/served.ts";
import { version } from "../../host/version.ts";
import { withPacks } from "../pack-flags.ts";
import { combinedServer } from "./mount-servers.ts";
import type { WrittenTarget } from "./read-target.ts";
import { serversOf } from "./servers-of.ts";

/** Opens a target in this process. Servers elsewhere are mounted into a server here. The caller closes it. */
export async function openServed(
  target: WrittenTarget,
  { models, ...options }: RemoteOptions & { readonly models?: SimulationModels } = {},
): Promise<Served> {
  switch (target.kind) {
    case "environment":
      return builtInEnvironment(target.name, process.env["BIPLANE_DATA"] || undefined, models);
    case "pack":
      return openPack(target.name, target.folder);
    case "recording":
      return environmentFromRecording(await readSessionRecordings([target.file]));
    case "module":
      return openModule(target.file, target.server);
    default:
      return combinedServer((await serversOf(target)) ?? {}, options);
  }
}

async function openPack(name: string, folder: string | undefined): Promise<Served> {
  const pack = await packs[name]?.open(withPacks({}, [{ name, folder }])[name] ?? {});
  return new ServerCore({ name, version, limits: false, packs: pack ? [pack] : [] });
}

/** A module may export a list of servers. Then `#name` chooses one. */
async function openModule(file: string, name: string | undefined): Promise<Served> {
  const all = await loadServedFile(file);
  const found = all.filter((each) => name === undefined || each.name === name);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = all.map((each) => each.name);
  throw new BiplaneError(
    "INVALID_DEFINITION",
    first
      ? `${file} exports ${names.length} servers: ${names.join(", ")}. Choose one, such as ${file}#${names[0]}.`
      : `${file} exports no server named ${JSON.stringify(name)}. Its servers: ${names.join(", ")}.`,
  );
}
