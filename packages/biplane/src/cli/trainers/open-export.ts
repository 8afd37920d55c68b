import type { ConnectOptions } from "@biplane/core/client";
import { isRecord } from "@biplane/core/internal";
import { make } from "../../rollout/make.ts";
import { trainerTasks } from "../../trainers/trainer-task.ts";
import type { TrainerExport } from "../../trainers/trainer-task.ts";
import { folder, option, toggle } from "../command/define.ts";
import type { GivenArgs } from "../command/define.ts";
import { inputError, usageError } from "../command/exit-code.ts";
import { openRolloutTarget, openRows, readTargetSettings, rowArgs, writtenTarget } from "../rollout/rollout-target.ts";
import { connectArgs, connectOptions } from "../target/connect-args.ts";
import { targetArg } from "../target/target-arg.ts";
import type { ProjectFiles } from "../init/project.ts";
import { writeProject } from "../init/write-project.ts";

/** Options of every command that writes files for a trainer. */
export const exportArgs = {
  target: {
    ...targetArg,
    description: "The environment: a built-in one (frozen-lake), a module (./environment.ts), or the URL of its server",
  },
  server: option("URL of the server that the trainer connects to (default: the target, or http://127.0.0.1:8000)"),
  folder: option("Folder to write (default: named after the environment)", { takes: folder }),
  force: toggle("Overwrite existing files"),
  bearer: connectArgs.bearer,
  header: connectArgs.header,
  ...rowArgs,
} as const;

interface ExportArgs extends GivenArgs<typeof rowArgs> {
  readonly _: readonly string[];
  readonly server?: string | undefined;
  readonly bearer?: string | undefined;
  readonly header?: string | undefined;
}

/** Reads the environment's name and the first observation of each row. */
export async function openExport(args: ExportArgs, rawArgs: readonly string[]): Promise<TrainerExport> {
  const { rows: file, split, number, seed, prompt, system } = args;
  const chosen = { rows: file, split, number, seed, prompt, system };
  const settings = { ...chosen, ...readTargetSettings({}, { positionals: args._, rawArgs }) };
  const written = writtenTarget(settings);
  const options = connectOptions(args);
  const { target, close } = await openRolloutTarget(settings);
  try {
    const rows = await openRows(target, settings, options);
    await using envs = await make(target, { rows, ...options });
    if (envs.connector.kind === "mcp")
      throw usageError(`${envs.connector.name} is not an environment, so it has no episodes to train on.`);
    const tasks = await trainerTasks(envs.connector, envs.rows);
    const url = baseOf(args.server ?? (written.kind === "url" ? written.url : "http://127.0.0.1:8000"));
    const name = written.kind === "url" ? await remoteName(baseOf(written.url), options) : envs.connector.name;
    return { name, url, tasks };
  } finally {
    await close();
  }
}

function baseOf(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/(mcp|ws)$/, "");
}

/** Only a server of ours has the control plane that the files use. */
async function remoteName(url: string, { bearer, headers }: ConnectOptions): Promise<string> {
  const credentials = typeof bearer === "string" ? { authorization: `Bearer ${bearer}` } : {};
  // A redirect may lead to another server, for which the headers are not meant.
  const response = await fetch(`${url}/metadata`, { headers: { ...headers, ...credentials }, redirect: "manual" });
  const about: unknown = await response.json().catch(() => undefined);
  if (response.ok && isRecord(about) && typeof about["name"] === "string") return about["name"];
  throw inputError(`${url} is not an environment of a Biplane server: ${url}/metadata answers ${response.status}.`);
}

/** Writes the files and lists them. */
export async function writeExport(
  target: string,
  files: ProjectFiles,
  { isForced, next }: { readonly isForced: boolean; readonly next: readonly string[] },
): Promise<void> {
  await writeProject(target, files, { isForced, hint: "Use another --folder, or --force to overwrite." });
  const names = Object.keys(files).toSorted();
  const shown = names.length > maxShown ? [...names.slice(0, maxShown), `… ${names.length - maxShown} more`] : names;
  const list = (lines: readonly string[]) => lines.map((line) => `  ${line}\n`).join("");
  process.stdout.write(`Wrote to ${target}:\n\n${list(shown)}\nNext:\n\n${list(next)}`);
}

const maxShown = 12;
