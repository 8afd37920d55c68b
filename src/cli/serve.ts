import { defineCommand } from "citty";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import { gallery } from "../gallery/gallery.ts";
import { createLogger } from "../observe/logs.ts";
import { createMetrics } from "../observe/metrics.ts";
import { packs } from "../pack/packs.ts";
import { serve as listen } from "../wire/serve.ts";
import type { Served } from "../wire/wing.ts";
import { gymOf } from "./gym.ts";
import { addCode } from "./code-doors.ts";
import { doorsOf } from "./doors.ts";
import type { Doors } from "./doors.ts";
import { openHouse } from "./house.ts";
import { listenUntilStopped } from "./listen.ts";
import { servedBy } from "./served.ts";
import { packFlags, withPacks } from "./pack-flags.ts";
import type { PackFlag } from "./pack-flags.ts";
import { openState } from "./state.ts";

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
    const known = { packs: optionsOfPacks(), environments: Object.keys(gallery) };
    const options: LoadOptions = { file: args.config, known, flags: flagsOf(args) };
    await using state = await openState(options);
    const secret = (name: string) => state.secrets.get(name);
    const config = await configWith(packFlags(rawArgs), { ...options, secret });
    const log = createLogger({ ...config.logging, redactor: () => state.secrets.redactor() });
    await using house = openHouse({ config, store: state.store, secrets: state.secrets, log });
    const served = await servedBy(config, house, log);
    if (args.gym !== undefined) served.push(await gymOf(args.gym, args.reward, log));
    if (served.length === 0)
      throw new BiplaneError(
        "INVALID_DEFINITION",
        "say what to serve: a file, --env, --pack, --gym, or a biplane.yaml",
      );
    await addCode(served, config);
    using metrics = createMetrics();
    metrics.gauge("approvals_waiting", async () => (await house.approvals.list({ status: "waiting" })).length);
    for (const each of served) each.govern({ ...house.governance, meters: [metrics] });
    const doors = await doorsOf(config, house, { log, metrics });
    await listenUntilStopped({
      url: config.listen,
      listen: () => listen(served, doors.options),
      close: async () => void (await Promise.all(served.map((each) => each.close()))),
      welcome: (address) => {
        void invite(doors, address);
        return welcome(served, address);
      },
    });
  },
});

/** The config, with the packs that the command line asks for beside those of the file. */
async function configWith(asked: readonly PackFlag[], options: LoadOptions): Promise<Config> {
  const { config } = await loadConfig(options);
  if (asked.length === 0) return config;
  const flags = { ...options.flags, packs: withPacks(config.packs, asked) };
  return (await loadConfig({ ...options, flags })).config;
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

function optionsOfPacks() {
  return Object.fromEntries(Object.entries(packs).map(([name, { options }]) => [name, options]));
}

function welcome(served: readonly Served[], url: string): string {
  const lines = served.map((each, at) => {
    const base = at === 0 ? url : `${url}/env/${each.name}`;
    const server = each instanceof Environment ? each.server : each;
    const tools = Array.from(server.tools, ({ name }) => name);
    return [
      `${each.name} ${each.version}`,
      `  agents:   ${base}/mcp`,
      ...(each instanceof Environment && server.mode === "simulation"
        ? [`  trainers: ${base} (OpenEnv, Eval Protocol)`]
        : []),
      `  tools:    ${tools.slice(0, 8).join(", ")}${tools.length > 8 ? ` and ${tools.length - 8} more` : ""}`,
    ].join("\n");
  });
  return `${lines.join("\n")}\n\nTry: curl -s ${url}/mcp/capabilities\nStop with Ctrl-C.`;
}

/** While nobody can log in, the terminal has the key to the people's doors. */
async function invite(doors: Doors, url: string): Promise<void> {
  const code = await doors.setupCode().catch(() => undefined); // the house may be closing already
  if (code !== undefined)
    process.stderr.write(`\nNobody can log in yet. Whoever comes first to ${url}/api/setup needs this code: ${code}\n`);
}
