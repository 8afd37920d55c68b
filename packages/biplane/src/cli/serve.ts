import { resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { defineCommand } from "citty";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { gallery } from "@biplane/gallery";
import { packs } from "../pack/packs.ts";
import { loadGym } from "./gym.ts";
import { packFlags, withPacks } from "./pack-flags.ts";
import type { PackFlag } from "./pack-flags.ts";
import { runHost } from "./run-host.ts";
import { openHostState } from "../host/state.ts";
import { knownNames } from "../host/known-names.ts";
import { keptAcross, reportFiles, reportUp, watchedProcess } from "./serve/watched.ts";
import { welcome } from "./terminal/welcome.ts";

/** `biplane serve ./tools.ts --env taxi` */
export const serveCommand = defineCommand({
  meta: { name: "serve", description: "Serve a module, environments and packs, with the settings in biplane.yaml" },
  args: {
    file: {
      type: "positional",
      description: "A .ts, .js or .mjs file whose default export is a server or an environment",
      required: false,
    },
    env: {
      type: "string",
      description: `Built-in environments, comma-separated: ${Object.keys(gallery).join(", ")}`,
    },
    pack: {
      type: "string",
      description: `A pack of tools; repeatable; workspace=./notes sets its folder. Packs: ${Object.keys(packs).join(", ")}`,
    },
    code: {
      type: "string",
      description: "Lets agents run code that calls the tools, in these languages: javascript, python, starlark",
    },
    gym: { type: "string", description: "An mcpServers config file whose servers become one environment" },
    reward: { type: "string", description: "With --gym: a module whose default export is the reward function" },
    config: { type: "string", description: "The config file (default: BIPLANE_CONFIG, or biplane.yaml)" },
    url: { type: "string", description: "http://host:port, ws://host:port or stdio (default: http://127.0.0.1:8000)" },
    stdio: { type: "boolean", description: "Same as --url stdio", default: false },
    mode: {
      type: "string",
      description: "simulation, or production: no trainer endpoints, and a policy is required (default: simulation)",
    },
    store: {
      type: "string",
      description: "The SQLite file for approvals, secrets, audit log and tasks (default: in memory)",
    },
    "log-level": { type: "string", description: "Lowest level that is logged (default: info)" },
    "log-format": { type: "string", description: "pretty or json (default: pretty)" },
    disclose: { type: "boolean", description: "List only three tools, which search, describe and call the others" },
    always: { type: "string", description: "Like --disclose, and list these tools too, comma-separated" },
    watch: { type: "boolean", description: "Restart when the code or the config file changes" },
    "open-trainer-endpoints": {
      type: "boolean",
      description: "Serve environments without credentials on a public address",
    },
  },
  run: async ({ args, rawArgs }) => {
    const { gym, reward } = args;
    const files = [args.file, gym, reward].filter((each) => each !== undefined);
    const watched = args.watch ? watchedProcess() : undefined;
    if (args.watch && !watched) return startWatching(args, files);
    const known = await knownNames();
    const given: LoadOptions = { file: args.config, known, flags: flagsOf(args) };
    const options = watched ? await keptAcross(given, watched) : given;
    await using state = await openHostState(options);
    const secret = (name: string) => state.secrets.get(name);
    const resolved = await loadConfigWith(packFlags(rawArgs), { ...options, secret });
    const { config } = resolved;
    if (watched) reportFiles(config, reward === undefined ? [] : [resolve(reward)]);
    await runHost({
      resolved,
      state,
      ...(gym !== undefined && { more: async (log) => [await loadGym(gym, { rewardFile: reward, log })] }),
      welcome: ({ served, url }) => {
        const { limits, auth } = config;
        const needsToken = (auth.tokens ?? auth.oauth) !== undefined;
        return (watched && reportUp(watched, url)) ?? welcome({ served, url, limits, needsToken });
      },
    });
  },
});

async function startWatching(args: Arguments, files: readonly string[]): Promise<void> {
  const file = typeof args["config"] === "string" ? args["config"] : undefined;
  const loaded = await loadConfig({ file, flags: flagsOf(args), only: ["listen"] }).catch(() => undefined);
  if (loaded?.config.listen === "stdio")
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "--watch cannot restart a server over stdio, because its client would lose the connection. Serve over http://.",
    );
  const { watchServe } = await import("./serve/watch-serve.ts");
  await watchServe([(file ?? process.env["BIPLANE_CONFIG"]) || "biplane.yaml", ...files]);
}

/** Adds packs from the command line to those of the config file. */
async function loadConfigWith(asked: readonly PackFlag[], options: LoadOptions): Promise<ResolvedConfig> {
  const resolved = await loadConfig(options);
  if (asked.length === 0) return resolved;
  return loadConfig({ ...options, flags: { ...options.flags, packs: withPacks(resolved.config.packs, asked) } });
}

type Arguments = Partial<Readonly<Record<string, unknown>>>;

/** The command line's settings by their names in the config file. */
function flagsOf(args: Arguments): Record<string, unknown> {
  const list = (name: string) =>
    typeof args[name] === "string" ? args[name].split(",").map((each) => each.trim()) : undefined;
  return {
    listen: args["stdio"] === true ? "stdio" : args["url"],
    mode: args["mode"],
    store: args["store"],
    "logging.level": args["log-level"],
    "logging.format": args["log-format"],
    "auth.openTrainerEndpoints": args["open-trainer-endpoints"],
    servers: args["file"] === undefined ? undefined : [args["file"]],
    environments: list("env"),
    "code.languages": list("code"),
    disclose: list("always") ? { always: list("always") } : args["disclose"],
  };
}
