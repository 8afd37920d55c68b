import cluster from "node:cluster";
import { argument, command, countFromOne, file, folder, toggle, oneOf, option } from "./command/define.ts";
import { resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { gallery } from "@biplane/gallery";
import { packs } from "../pack/packs.ts";
import { loadGym } from "./gym.ts";
import { tau2Names } from "../tau2/environment-names.ts";
import { usageError } from "./command/exit-code.ts";
import { packFlags, withPacks } from "./pack-flags.ts";
import type { PackFlag } from "./pack-flags.ts";
import { runHost } from "./run-host.ts";
import { needsCredentials } from "../host/endpoints.ts";
import { openHostState } from "../host/state.ts";
import { knownNames } from "../host/known-names.ts";
import { keptAcross, reportFiles, reportUp, watchedProcess } from "./serve/watched.ts";
import { isFirstProcess, serveWithProcesses } from "./serve/processes.ts";
import { welcome } from "./terminal/welcome.ts";

/** `biplane serve ./tools.ts --env taxi` */
export const serveCommand = command("Serve a module, environments and packs, with the settings in biplane.yaml", {
  args: {
    file: argument("A .ts, .js or .mjs file whose default export is a server or an environment", {
      takes: file,
      required: false,
    }),
    env: option(`Built-in environments, comma-separated: ${[...Object.keys(gallery), ...tau2Names].join(", ")}`, {
      takes: { kind: "environments" },
    }),
    data: option("Folder with the data of the tau2 environments: data/tau2 of tau2-bench", {
      takes: { kind: "folder" },
    }),
    pack: option(
      `A pack of tools; repeatable; workspace=./notes sets its folder. Packs: ${Object.keys(packs).join(", ")}`,
      { takes: { kind: "packs" } },
    ),
    openapi: option("An OpenAPI document, as a file or URL, whose operations become tools"),
    "base-url": option("With --openapi: where the API is (default: the first server that the document names)"),
    skills: option("Folders with skills, comma-separated", { takes: folder }),
    code: option("Lets agents run code that calls the tools, in these languages: javascript, python, starlark"),
    gym: option("An mcpServers config file whose servers become one environment", { takes: file }),
    reward: option("With --gym: a module whose default export is the reward function", { takes: file }),
    config: option("The config file (default: BIPLANE_CONFIG, or biplane.yaml)", { takes: file }),
    url: option("http://host:port, ws://host:port or stdio (default: http://127.0.0.1:8000)"),
    stdio: toggle("Same as --url stdio"),
    mode: option("simulation, or production: no trainer endpoints, and a policy is required (default: simulation)", {
      takes: oneOf("simulation", "production"),
    }),
    store: option("SQLite file or Postgres URL for approvals, secrets, the audit log and tasks (default: in memory)", {
      takes: file,
    }),
    record: option("Folder in which to record sessions, for replay-server and env from-recording", { takes: folder }),
    "log-level": option("Lowest level that is logged (default: info)", {
      takes: oneOf("debug", "info", "warn", "error"),
    }),
    "log-format": option("pretty or json (default: pretty)", { takes: oneOf("pretty", "json") }),
    disclose: toggle("List only three tools, which search, describe and call the others", {}),
    always: option("Like --disclose, and list these tools too, comma-separated"),
    processes: option("Serve with this many processes on one port; needs a Postgres store (default: 1)", {
      takes: countFromOne,
    }),
    watch: toggle("Restart when the code or the config file changes", {}),
    "open-trainer-endpoints": toggle("Serve environments without credentials on a public address", {}),
  },
  run: async ({ args, rawArgs }) => {
    const { gym, reward } = args;
    const files = [args.file, gym, reward].filter((each) => each !== undefined);
    const processes = Number(args.processes ?? 1);
    if (processes > 1 && cluster.isPrimary) return startProcesses(processes, args);
    const watched = args.watch ? watchedProcess() : undefined;
    if (args.watch && !watched) return startWatching(args, files);
    const known = await knownNames();
    const given: LoadOptions = { file: args.config, known, flags: flagsOf(args) };
    const options = watched ? await keptAcross(given, watched) : given;
    await using state = await openHostState(options);
    const secret = (name: string) => state.secrets.get(name);
    const api = openapiFlag(args.openapi, args["base-url"]);
    const resolved = await loadConfigWith(packFlags(rawArgs), { ...options, secret }, api);
    const { config } = resolved;
    if (watched) reportFiles(config, reward === undefined ? [] : [resolve(reward)]);
    await runHost({
      resolved,
      state,
      ...(gym !== undefined && { more: async (log) => [await loadGym(gym, { rewardFile: reward, log })] }),
      welcome: ({ served, url }) => {
        if (!isFirstProcess()) return "";
        const { limits, auth } = config;
        return (
          (watched && reportUp(watched, url)) ?? welcome({ served, url, limits, needsToken: needsCredentials(auth) })
        );
      },
    });
    cluster.worker?.disconnect(); // Otherwise the connection to the first process keeps this one running.
  },
});

async function startProcesses(processes: number, args: Arguments): Promise<void> {
  const file = typeof args["config"] === "string" ? args["config"] : undefined;
  const { config } = await loadConfig({ file, flags: flagsOf(args), only: ["listen", "store"] });
  const refuse = (why: string) => {
    throw new BiplaneError("INVALID_DEFINITION", `--processes ${processes} ${why}`);
  };
  if (args["watch"] === true) refuse("cannot be combined with --watch, which restarts one process.");
  if (config.listen === "stdio") refuse("needs a port. A client over stdio talks to one process.");
  if (!/^postgres(ql)?:/.test(config.store ?? ""))
    refuse("needs a store that processes share. Set --store postgres://user@host/database.");
  await serveWithProcesses(processes);
}

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
async function loadConfigWith(
  asked: readonly PackFlag[],
  options: LoadOptions,
  openapi: Readonly<Record<string, unknown>> | undefined,
): Promise<ResolvedConfig> {
  const resolved = await loadConfig(options);
  if (asked.length === 0 && !openapi) return resolved;
  const packs = { ...withPacks(resolved.config.packs, asked), ...(openapi && { openapi }) };
  return loadConfig({ ...options, flags: { ...options.flags, packs } });
}

/** The options of the openapi pack for a document on the command line. */
function openapiFlag(document: string | undefined, baseUrl: string | undefined) {
  if (document === undefined) {
    if (baseUrl !== undefined) throw usageError("--base-url belongs to --openapi, which is missing.");
    return undefined;
  }
  const source = /^https?:\/\//.test(document) ? { url: document } : { file: document };
  return { apis: { api: { ...source, ...(baseUrl !== undefined && { baseUrl }) } } };
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
    record: args["record"],
    "logging.level": args["log-level"],
    "logging.format": args["log-format"],
    "auth.openTrainerEndpoints": args["open-trainer-endpoints"],
    servers: args["file"] === undefined ? undefined : [args["file"]],
    environments: list("env"),
    data: args["data"],
    skills: list("skills"),
    "code.languages": list("code"),
    disclose: list("always") ? { always: list("always") } : args["disclose"],
  };
}
