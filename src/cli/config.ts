import { existsSync } from "node:fs";
import { defineCommand } from "citty";
import { showPath } from "../call/rules/problem.ts";
import type { Path } from "../call/rules/problem.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { settings } from "../config/overlay.ts";
import type { ConfigSource, Origin } from "../config/resolve-config.ts";
import { messageOf } from "../errors.ts";
import type { State } from "./state.ts";
import { whatIsThere } from "./what-is-there.ts";

const check = defineCommand({
  meta: {
    name: "check",
    description: "Check a config file, and tell what would be served and where each setting is from",
  },
  args: {
    file: { type: "positional", description: "The file; left out, biplane.yaml or BIPLANE_CONFIG", required: false },
    config: { type: "string", description: "The same as the file" },
  },
  run: async ({ args }) => {
    try {
      const options: LoadOptions = { file: args.file ?? args.config, known: await whatIsThere() };
      await using state = await keptState(options);
      const { config, source } = await loadConfig({ ...options, secret: (name) => state?.secrets.get(name) });
      process.stdout.write(summary(config, source));
    } catch (error) {
      // As compilers print them, so that editors find the places.
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = 1;
    }
  },
});

/** `biplane config check`: everything that is wrong with a config file, or what it comes to. */
export const configCommand = defineCommand({
  meta: { name: "config", description: "Work with the config file, biplane.yaml" },
  subCommands: { check },
});

/** Secrets that the file may refer to are in the store, if there is one: to check is not to make one. */
async function keptState(options: LoadOptions): Promise<State | undefined> {
  try {
    const { config } = await loadConfig({ ...options, only: ["store", "secrets"] });
    if (config.store === undefined || !existsSync(config.store)) return undefined;
  } catch {
    return undefined; // The check of the whole file tells this too.
  }
  return (await import("./state.ts")).openState(options);
}

function summary(config: Config, source: ConfigSource): string {
  const { servers, environments, packs, mcpServers, policies, policyDefault, auth } = config;
  const served = [
    ["modules", servers],
    ["environments", environments],
    ["packs", Object.keys(packs)],
    ["mounted servers", Object.keys(mcpServers)],
    ["tokens", (auth.tokens ?? []).map(({ id }) => id)],
  ] as const;
  const rows = served
    .filter(([, names]) => names.length > 0)
    .map(([what, names]): [string, string] => [what, names.join(", ")]);
  rows.push(["policies", policies ? `${count(policies.length)}, otherwise ${policyDefault}` : "no rules here"]);
  const rest = settings.flatMap(({ path }): [string, string, string][] => {
    const value = valueAt(config, path);
    if (value === undefined) return [];
    const isSecret = source.secretsUsed.some((use) => showPath(use.path) === showPath(path));
    return [[showPath(path), isSecret ? "(secret)" : String(value), showOrigin(source.originOf(path), source)]];
  });
  const title = source.file
    ? `${source.file} is in order.`
    : "There is no config file; this is what holds without one.";
  return `${title}\n\n${columns(rows)}\n\n${columns(rest)}\n`;
}

function count(rules: number): string {
  return rules === 1 ? "1 rule" : `${rules} rules`;
}

function valueAt(config: Config, path: Path): string | number | boolean | undefined {
  let value: unknown = config;
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step];
  return value as string | number | boolean | undefined;
}

function showOrigin(origin: Origin, { file }: ConfigSource): string {
  switch (origin.kind) {
    case "file":
      return `${file}:${origin.line}:${origin.column}`;
    case "environment":
      return origin.name;
    case "flag":
      return "command line";
    case "default":
      return "default";
  }
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd())
    .join("\n");
}
