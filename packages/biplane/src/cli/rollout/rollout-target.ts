import { count, file, oneOf, option } from "../command/define.ts";
import { nearest } from "@biplane/core/internal";
import { gallery } from "@biplane/gallery";
import { isTau2Name } from "../../tau2/environment-names.ts";
import type { ConnectEnvironmentOptions, EnvironmentTarget } from "@biplane/core/client";
import { readRows } from "../../rollout/data/read-rows.ts";
import { seedRows, taskRows } from "../../rollout/row.ts";
import type { Row } from "../../rollout/row.ts";
import { inputError, usageError } from "../command/exit-code.ts";
import { connectArgs } from "../target/connect-args.ts";
import type { SimulationModels } from "../../host/served.ts";
import { openServed } from "../target/open-served.ts";
import { readTarget, splitTarget } from "../target/read-target.ts";
import type { WrittenTarget } from "../target/read-target.ts";
import { serversOf } from "../target/servers-of.ts";
import { targetArg, targetForms } from "../target/target-arg.ts";

const kinds = ["eval-protocol", "openenv", "mcp"] as const;

/** The target, and options that say the same in another way. */
export const rolloutTargetArgs = {
  target: { ...targetArg, description: `Where to play: ${targetForms}`, required: false },
  env: option("The target as an option: a built-in environment or a module", { takes: { kind: "environments" } }),
  url: option("The target as an option: a URL; …/mcp for MCP and Eval Protocol, otherwise OpenEnv"),
  servers: option("The target as an option: a config file with mcpServers", { takes: file }),
  kind: option("Protocol of a URL: eval-protocol, openenv or mcp (default: detected)", { takes: oneOf(...kinds) }),
  bearer: connectArgs.bearer,
  header: connectArgs.header,
} as const;

/** The settings that name the target. Exactly one of them is set; `command` is what follows `--`, as JSON. */
const targetSettings = ["target", "command", "env", "url", "servers"] as const;

/** Options that choose the rows. */
export const rowArgs = {
  rows: option("A file of rows: JSONL, CSV, TSV, Parquet or Arrow, or a dataset folder", { takes: file }),
  split: option("A split of the folder in --rows, or of the environment's own tasks, also by --url"),
  number: option("Number of rows, or of seeds without --rows and --split (default: 1)", { takes: count, alias: "n" }),
  seed: option("The first seed", { takes: count, default: "0" }),
  prompt: option("Template of the user message, such as 'You see {observation}'", { default: "" }),
  system: option("The system message", { default: "" }),
} as const;

/** Settings stored with a run, for resume and replay. */
export type RunSettings = Readonly<Record<string, string | boolean | undefined>>;

/** The target of a command line as settings. `positionals` are those after the command's own. */
export function readTargetSettings(
  given: Readonly<Record<string, unknown>>,
  { positionals, rawArgs }: { readonly positionals: readonly string[]; readonly rawArgs: readonly string[] },
): RunSettings {
  const { env, url, servers, kind } = given as RunSettings;
  const split = rawArgs.includes("--") || positionals.length > 0 ? splitTarget(positionals, rawArgs) : undefined;
  const isCommand = split?.target.kind === "command";
  return {
    target: split && !isCommand ? positionals[0] : undefined,
    command: isCommand ? JSON.stringify(rawArgs.slice(rawArgs.indexOf("--") + 1)) : undefined,
    env,
    url,
    servers,
    kind,
  };
}

/** Whether the command line or a stored run names a target. */
export function hasTarget(settings: RunSettings): boolean {
  return targetSettings.some((key) => settings[key] !== undefined);
}

/** The target that settings name. Throws if they name none or several. */
export function writtenTarget(settings: RunSettings): WrittenTarget {
  const given = targetSettings.filter((key) => settings[key] !== undefined);
  const [key] = given;
  if (key === undefined) throw usageError(`Pass a target: ${targetForms}.`);
  if (given.length > 1) throw usageError(`Pass one target, not ${given.map((each) => flags[each]).join(" and ")}.`);
  const text = String(settings[key]);
  switch (key) {
    case "target":
      return readTarget(text);
    case "command": {
      const [command = "", ...args] = JSON.parse(text) as string[];
      return { kind: "command", command, args };
    }
    case "env":
      return environmentNamed(text);
    case "url":
      return { kind: "url", url: text };
    case "servers":
      return { kind: "config", file: text, server: undefined };
  }
}

const flags = { target: "a target", command: "a command", env: "--env", url: "--url", servers: "--servers" } as const;

/** `--env` also takes the path of a module without an extension. */
function environmentNamed(text: string): WrittenTarget {
  if (Object.hasOwn(gallery, text) || isTau2Name(text) || /\.[cm]?[jt]sx?(#.*)?$/s.test(text)) return readTarget(text);
  if (/[./\\]/.test(text)) return { kind: "module", file: text, server: undefined };
  const near = nearest(text, Object.keys(gallery));
  throw usageError(
    `Unknown environment ${JSON.stringify(text)}. ${near === undefined ? "" : `Did you mean ${near}? `}Use one of ${Object.keys(gallery).join(", ")}, or the path of a module, such as ./environment.ts.`,
  );
}

/** Opens the target to play in. The caller must call `close`. */
export async function openRolloutTarget(
  settings: RunSettings,
  models: SimulationModels = {},
): Promise<{ target: EnvironmentTarget; close: () => Promise<void> }> {
  const written = writtenTarget(settings);
  const close = async () => undefined;
  if (written.kind === "url") return { target: written.url, close };
  if (written.kind === "command") return { target: { command: written.command, args: written.args }, close };
  const servers = await serversOf(written);
  // Every rollout starts servers of its own, so that none sees what another one changed.
  if (servers) return { target: { mcpServers: servers }, close };
  const served = await openServed(written, { models });
  return { target: served, close: () => served.close() };
}

/** Reads `--kind`. */
export function targetKind({ kind }: RunSettings): { kind?: (typeof kinds)[number] } {
  if (kind === undefined) return {};
  const known = kinds.find((each) => each === kind);
  if (known) return { kind: known };
  throw usageError(`--kind must be one of ${kinds.join(", ")}, not ${String(kind)}.`);
}

/** Reads `--style`. */
export function readStyle({ style }: RunSettings): "json" | "python" {
  return style === "python" ? "python" : "json";
}

/** The rows to play. */
export async function openRows(
  target: EnvironmentTarget,
  settings: RunSettings,
  options: ConnectEnvironmentOptions,
): Promise<Row[]> {
  const { rows, split, prompt, system } = settings;
  const number = settings["number"] === undefined ? undefined : wholeNumber("number", settings["number"], 1);
  if (typeof rows === "string") {
    const from = typeof split === "string" ? split : undefined;
    return some(await readRows(rows, { limit: number, split: from }), `${rows} has no rows.`);
  }
  if (typeof split === "string")
    return some(await taskRows(target, split, options), `The split ${JSON.stringify(split)} has no tasks.`).slice(
      0,
      number,
    );
  const first = wholeNumber("seed", settings["seed"] ?? "0");
  const seeds = Array.from({ length: number ?? 1 }, (_, at) => first + at);
  return seedRows(seeds, { prompt: String(prompt ?? ""), system: String(system ?? "") });
}

function some(rows: Row[], message: string): Row[] {
  if (rows.length === 0) throw inputError(`${message} There is nothing to play.`);
  return rows;
}

/** Reads a whole number of at least `min`. */
export function wholeNumber(name: string, text: string | boolean, min = 0): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= min) return number;
  throw usageError(`--${name} must be a whole number of at least ${min}, not ${String(text)}.`);
}

/** Reads any number. */
export function finiteNumber(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw usageError(`--${name} must be a number, not ${JSON.stringify(text)}.`);
}
