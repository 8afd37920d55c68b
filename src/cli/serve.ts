import { defineCommand } from "citty";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { gallery } from "../gallery/gallery.ts";
import { packs } from "../pack/packs.ts";
import { gymOf } from "./gym.ts";
import { packFlags, withPacks } from "./pack-flags.ts";
import type { PackFlag } from "./pack-flags.ts";
import { runHouse } from "./run-house.ts";
import { openState } from "./state.ts";
import { whatIsThere } from "./what-is-there.ts";
import { welcome } from "./terminal/welcome.ts";

/** `biplane serve ./tools.ts --env taxi`: puts servers, environments and packs on a wire, under the config's rules. */
export const serve = defineCommand({
  meta: { name: "serve", description: "Serve a file's default export, environments, packs, or what biplane.yaml says" },
  args: {
    file: {
      type: "positional",
      description: "A .ts, .js or .mjs file whose default export is a server or an environment",
      required: false,
    },
    env: {
      type: "string",
      description: `Environments of the gallery, with commas between them: ${Object.keys(gallery).join(", ")}`,
    },
    pack: {
      type: "string",
      description: `A pack of tools, again for each: ${Object.keys(packs).join(", ")}; workspace=./notes says where`,
    },
    gym: { type: "string", description: "A file of MCP servers, as desktop hosts write it, to play as an environment" },
    reward: { type: "string", description: "With --gym, the file whose default export is the reward" },
    config: { type: "string", description: "The config file; left out, biplane.yaml if it is there" },
    url: { type: "string", description: "http://host:port, ws://host:port or stdio; left out, http://127.0.0.1:8000" },
    stdio: { type: "boolean", description: "The same as --url stdio", default: false },
    mode: { type: "string", description: "simulation, or production: trainers' doors shut, and a policy is needed" },
    store: { type: "string", description: "The SQLite file for approvals, secrets, audit and tasks" },
    "log-level": { type: "string", description: "debug, info, warn or error" },
    "log-format": { type: "string", description: "pretty or json" },
    "open-trainer-doors": {
      type: "boolean",
      description: "Let trainers in without credentials on an address that others can reach",
    },
  },
  run: async ({ args, rawArgs }) => {
    const known = await whatIsThere();
    const options: LoadOptions = { file: args.config, known, flags: flagsOf(args) };
    await using state = await openState(options);
    const secret = (name: string) => state.secrets.get(name);
    const resolved = await configWith(packFlags(rawArgs), { ...options, secret });
    const { gym, reward } = args;
    await runHouse({
      resolved,
      state,
      ...(gym !== undefined && { more: async (log) => [await gymOf(gym, reward, log)] }),
      welcome: ({ served, url }) => welcome(served, url),
    });
  },
});

/** The config, with the packs that the command line asks for beside those of the file. */
async function configWith(asked: readonly PackFlag[], options: LoadOptions): Promise<ResolvedConfig> {
  const resolved = await loadConfig(options);
  if (asked.length === 0) return resolved;
  return loadConfig({ ...options, flags: { ...options.flags, packs: withPacks(resolved.config.packs, asked) } });
}

type Arguments = Partial<Readonly<Record<string, unknown>>>;

/** What the command line says, by the names the config file has for it. */
function flagsOf(args: Arguments): Record<string, unknown> {
  const list = (name: string) =>
    typeof args[name] === "string" ? args[name].split(",").map((each) => each.trim()) : undefined;
  return {
    listen: args["stdio"] === true ? "stdio" : args["url"],
    mode: args["mode"],
    store: args["store"],
    "logging.level": args["log-level"],
    "logging.format": args["log-format"],
    "auth.openTrainerDoors": args["open-trainer-doors"],
    servers: args["file"] === undefined ? undefined : [args["file"]],
    environments: list("env"),
  };
}
