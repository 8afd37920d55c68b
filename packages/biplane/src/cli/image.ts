import { existsSync, statSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { BiplaneError } from "@biplane/core";
import { gallery } from "@biplane/gallery";
import { loadConfig } from "../config/load-config.ts";
import { knownNames } from "../host/known-names.ts";
import { tau2Names } from "../tau2/environment-names.ts";
import { argument, command, file, folder, option, toggle } from "./command/define.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { dockerfile, dockerignore, packedFolder } from "./package/dockerfile.ts";
import { writePackedManifest } from "./package/packed-manifest.ts";
import { projectPackages } from "./package/project-packages.ts";
import { containerConfig, spaceReadme } from "./package/container-files.ts";
import { didYouMean } from "./terminal/did-you-mean.ts";

/** `biplane image ./my-env.ts`: writes a Dockerfile in the layout that OpenEnv's tools expect. */
export const imageCommand = command("Write a Dockerfile that serves a project or built-in environments on port 8000", {
  args: {
    file: argument("The file to serve, as for biplane serve (default: what biplane.yaml lists)", {
      takes: file,
      required: false,
    }),
    env: option("Built-in environments, comma-separated", { takes: { kind: "environments" } }),
    folder: option("The project, where the Dockerfile is written", { takes: folder, default: "." }),
    trainers: toggle("For trainers on a private network: simulation mode without credentials"),
    space: toggle("For a Hugging Face Space: also writes its README.md"),
    force: toggle("Overwrite existing files"),
  },
  run: async ({ args }) => {
    const project = resolve(args.folder);
    const environments = args.env?.split(",").map((name) => name.trim()) ?? [];
    for (const name of environments) mustBeEnvironment(name);
    const module = args.file === undefined ? undefined : pathInProject(args.file, project);
    const hasConfig = existsSync(join(project, "biplane.yaml"));
    if (module === undefined && environments.length === 0 && !hasConfig)
      throw usageError("There is no biplane.yaml here. Pass a file or --env.");
    const isForTrainers = args.trainers;
    if (hasConfig && !isForTrainers) await checkConfig(join(project, "biplane.yaml"));
    const packages = projectPackages(project);
    const served = [...(module === undefined ? [] : [module]), ...(args.env === undefined ? [] : ["--env", args.env])];
    const files = {
      Dockerfile: dockerfile({ packages, serve: served, isForTrainers }),
      ".dockerignore": dockerignore,
      ...(!hasConfig && !isForTrainers && { "biplane.yaml": containerConfig }),
      ...(args.space && { "README.md": spaceReadme(packages.name ?? environments[0] ?? "biplane", { isForTrainers }) }),
    };
    await writeAll(project, files, { isForced: args.force });
    if (packages.needsPacking) {
      await writePackedManifest(project, join(project, packedFolder), packages);
      await writeFile(join(project, packedFolder, ".gitignore"), "*\n");
    }
    process.stdout.write(report(Object.keys(files), { project, isForTrainers, hasPacked: packages.needsPacking }));
  },
});

function pathInProject(given: string, project: string): string {
  if (!statSync(given, { throwIfNoEntry: false })?.isFile()) {
    const hint = Object.hasOwn(gallery, given) ? `For the built-in environment, pass --env ${given}.` : fileHint;
    throw usageError(`${JSON.stringify(given)} is not a file. ${hint}`);
  }
  const path = relative(project, resolve(given));
  if (path.startsWith(".."))
    throw usageError(`${given} is outside of ${project}, which is what the image gets. Pass --folder.`);
  return `./${path.split(sep).join("/")}`;
}

const fileHint = "Pass the module that exports your server or environment, such as ./src/environment.ts.";

function mustBeEnvironment(name: string): void {
  if (Object.hasOwn(gallery, name)) return;
  const known = Object.keys(gallery);
  if ((tau2Names as readonly string[]).includes(name))
    throw usageError(`${name} needs data that an image does not have. List it in biplane.yaml, with data.`);
  const hint = didYouMean(name, known, `There are ${known.join(", ")}.`);
  throw usageError(`${JSON.stringify(name)} is not a built-in environment. ${hint}`);
}

/** Finds out now what would end the container at its start. Values from the environment need not be there yet. */
async function checkConfig(path: string): Promise<void> {
  const known = await knownNames();
  const { config } = await loadConfig({ file: path, known, secret: () => "0".repeat(64) });
  const lacks = [
    ...(config.auth.tokens || config.auth.oauth ? [] : ["credentials of agents"]),
    ...(config.policies ? [] : ["policies"]),
  ];
  if (lacks.length === 0) return;
  throw inputError(`${path} has no ${lacks.join(" and no ")}, which production mode needs. Add, for example:

${containerConfig.trimEnd()}

Or pass --trainers for an image that only trainers can reach.`);
}

async function writeAll(
  project: string,
  files: Readonly<Record<string, string>>,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  const existing = Object.keys(files).filter((name) => name !== ".dockerignore" && existsSync(join(project, name)));
  if (existing.length > 0 && !isForced)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${existing.map((name) => join(project, name)).join(", ")} already exists. Pass --force to overwrite it.`,
    );
  await mkdir(project, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const target = join(project, name);
    if (name === ".dockerignore" && existsSync(target)) continue;
    await writeFile(`${target}.new`, text);
    await rename(`${target}.new`, target);
  }
}

interface ReportOptions {
  readonly project: string;
  readonly isForTrainers: boolean;
  readonly hasPacked: boolean;
}

function report(names: readonly string[], { project, isForTrainers, hasPacked }: ReportOptions): string {
  const packed = hasPacked
    ? `\nBiplane is packed in ${packedFolder}, because it is not installed from the registry here. Run biplane image --force after you change it.\n`
    : "";
  const run = isForTrainers
    ? "docker run -p 127.0.0.1:8000:8000 my-image"
    : "docker run -p 127.0.0.1:8000:8000 -v my-data:/data -e BIPLANE_AGENT_TOKEN my-image";
  const token = isForTrainers
    ? ""
    : "  export BIPLANE_AGENT_TOKEN=$(openssl rand -hex 24)   # agents send it as a bearer token\n";
  return `Wrote ${names.join(", ")} in ${project}
${packed}
  docker build -t my-image ${relative(process.cwd(), project) || "."}
${token}  ${run}
`;
}
