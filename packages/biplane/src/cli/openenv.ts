import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Environment, isRecord, placedTasks, tryParseJson } from "@biplane/core/internal";
import { gallery } from "@biplane/gallery";
import { openEnvPackage } from "../trainers/openenv-package.ts";
import { probeOf, recordProbe } from "../trainers/openenv-probe.ts";
import type { OpenEnvProbe } from "../trainers/openenv-probe.ts";
import { argument, command, file, folder, option, toggle } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { openServed } from "./target/open-served.ts";
import { readTarget } from "./target/read-target.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { writeExport } from "./trainers/open-export.ts";

/** `biplane openenv wordle --folder envs/wordle`: what OpenEnv's validation and catalogue read. */
export const openEnvCommand = command("Write openenv.yaml and the files for OpenEnv's validation and catalogue", {
  args: {
    target: argument("The environment: a built-in one (frozen-lake) or a module (./environment.ts)", {
      takes: { kind: "targets" },
      required: true,
    }),
    folder: option("Folder to write (default: that of the module, or envs/<environment>)", { takes: folder }),
    license: option("SPDX expression of its license (default: Apache-2.0 for a built-in one, else unknown)"),
    tags: option("What it is about, comma-separated", { default: "tool-use" }),
    actions: option("JSON file with a list of actions that graders send (default: recorded from a random episode)", {
      takes: file,
    }),
    network: toggle("Its episodes need other hosts", { default: false }),
    force: toggle("Overwrite existing files"),
  },
  run: async ({ args }) => {
    const target = readTarget(args.target);
    await using environment = await openServed(target);
    if (!(environment instanceof Environment))
      throw inputError(`${args.target} is a server without episodes. Pass an environment.`);
    const probe = args.actions === undefined ? await recordProbe(environment) : probeOf(readActions(args.actions));
    const written = args.folder ?? (target.kind === "module" ? dirname(target.file) : `envs/${environment.name}`);
    const isBuiltIn = target.kind === "environment" && Object.hasOwn(gallery, target.name);
    const files = openEnvPackage({
      environment,
      probe,
      taskCounts: await countTasks(environment),
      path: pathInRepository(written),
      license: args.license ?? (isBuiltIn ? "Apache-2.0" : "unknown"),
      tags: args.tags.split(",").map((tag) => tag.trim()),
      needsNetwork: args.network,
    });
    const image = isBuiltIn ? `--env ${environment.name}` : shellArgument(args.target);
    const next = [
      // The data of tau2 is not in an image.
      ...(isBuiltIn || target.kind === "module"
        ? [`biplane image ${image} --trainers --folder ${shellArgument(written)}`]
        : []),
      `openenv validate ${shellArgument(written)} --level runtime`,
      "openenv catalog build --repository . --repository-uri https://github.com/<owner>/<name>.git --publisher <your domain> --output catalog.json",
    ];
    await writeExport(written, files, { isForced: args.force, next });
    if (!environment.rules.options.reward && !environment.rules.options.rubric)
      process.stderr.write(
        `${environment.name} has no rewards, so it fails OpenEnv's check runtime.reward_well_formed.\n`,
      );
  },
});

async function countTasks(environment: Environment): Promise<Record<string, number>> {
  const splits = Object.keys(environment.rules.options.tasks ?? {});
  const counts = splits.map(async (split) => [split, (await placedTasks(environment, split)).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}

/** A card names the folder as the repository does. Outside of one, it is taken for `envs/<folder>`. */
function pathInRepository(target: string): string {
  const wanted = resolve(target);
  for (let root = dirname(wanted); root !== dirname(root); root = dirname(root))
    if (existsSync(join(root, ".git"))) return relative(root, wanted).split(sep).join("/");
  return `envs/${basename(wanted)}`;
}

function readActions(path: string): OpenEnvProbe["actions"] {
  const actions = existsSync(path) ? tryParseJson(readFileSync(path, "utf8")) : undefined;
  if (Array.isArray(actions) && actions.length > 0 && actions.length <= maxActions && actions.every(isRecord))
    return actions;
  throw inputError(`${path} must have a JSON list of 1 to ${maxActions} actions, such as [{"action": "UP"}].`);
}

/** The most that OpenEnv's graders read. */
const maxActions = 100;
