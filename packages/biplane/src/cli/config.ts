import { argument, command, file, option } from "./command/define.ts";
import { messageOf, plural, showPath } from "@biplane/core/internal";
import type { Path } from "@biplane/core/internal";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { settings } from "../config/overlay.ts";
import { publishedSchema } from "../config/published-schema.ts";
import type { ConfigSource, Origin } from "../config/resolve-config.ts";
import { knownNames } from "../host/known-names.ts";
import { weakSecrets } from "../host/weak-secrets.ts";
import { existingState } from "./existing-state.ts";

const check = command("Check a config file; show what it serves and where each setting comes from", {
  args: {
    file: argument("The config file (default: BIPLANE_CONFIG, or biplane.yaml)", { takes: file, required: false }),
    config: option("Same as the argument", { takes: file }),
  },
  run: async ({ args }) => {
    try {
      const options: LoadOptions = { file: args.file ?? args.config, known: await knownNames() };
      await using state = await existingState(options);
      const { config, source } = await loadConfig({ ...options, secret: (name) => state?.secrets.get(name) });
      process.stdout.write(summary(config, source));
      if (state) for (const each of weakSecrets(state.secrets, config)) process.stderr.write(`warning: ${each}\n`);
    } catch (error) {
      // Print file:line:column like a compiler, so that editors can link to it.
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = 1;
    }
  },
});

const schema = command("Print the JSON Schema of config files, for editors", {
  run: async () => {
    process.stdout.write(`${JSON.stringify(publishedSchema(await knownNames()), undefined, 2)}\n`);
  },
});

/** `biplane config check`, `biplane config schema` */
export const configCommand = command("Check the config file, biplane.yaml", { subCommands: { check, schema } });

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
    .map(([label, names]): [string, string] => [label, names.join(", ")]);
  rows.push([
    "policies",
    policies ? `${plural(policies.length, "rule")}, default ${policyDefault}` : "none: every call is allowed",
  ]);
  const rest = settings.flatMap(({ path }): [string, string, string][] => {
    const value = valueAt(config, path);
    if (value === undefined) return [];
    const isSecret = source.secretsUsed.some((use) => showPath(use.path) === showPath(path));
    return [[showPath(path), isSecret ? "(secret)" : String(value), showOrigin(source.originOf(path), source)]];
  });
  const title = source.file ? `${source.file} is valid.` : "No config file. These are the defaults.";
  return `${title}\n\n${columns(rows)}\n\n${columns(rest)}\n`;
}

function valueAt(config: Config, path: Path): string | number | boolean | undefined {
  let value: unknown = config;
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step];
  return value as string | number | boolean | undefined;
}

function showOrigin(origin: Origin, { file }: ConfigSource): string {
  if (origin.kind === "file") return `${file}:${origin.line}:${origin.column}`;
  if (origin.kind === "environment") return origin.name;
  return origin.kind === "flag" ? "command line" : "default";
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd())
    .join("\n");
}
