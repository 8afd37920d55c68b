import { existsSync } from "node:fs";
import { mkdtemp, readFile, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { connect } from "@biplane/core/client";
import { loadConfig } from "../config/load-config.ts";
import { argument, command, file, option, toggle } from "./command/define.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { bundleManifest, bundledProgram } from "./package/bundle-manifest.ts";
import { projectPackages } from "./package/project-packages.ts";
import { stageProject } from "./package/stage-project.ts";
import { writeZip } from "./package/zip-file.ts";
import type { ZipEntry } from "./package/zip-file.ts";

/** `biplane bundle`: an `.mcpb` file that desktop hosts install with one click. */
export const bundleCommand = command("Pack a project with its packages into an .mcpb file for desktop hosts", {
  args: {
    file: argument("The file to serve, as for biplane serve (default: what biplane.yaml lists)", {
      takes: file,
      required: false,
    }),
    env: option("Built-in environments, comma-separated", { takes: { kind: "environments" } }),
    name: option("The name of the bundle (default: that of biplane.yaml or package.json)"),
    out: option("The file to write (default: <name>.mcpb)", { takes: file }),
    force: toggle("Overwrite an existing file"),
  },
  run: async ({ args }) => {
    const project = resolve(".");
    const config = existsSync(join(project, "biplane.yaml")) ? "./biplane.yaml" : undefined;
    if (args.file === undefined && args.env === undefined && config === undefined)
      throw usageError("There is no biplane.yaml here. Pass a file or --env.");
    const packages = projectPackages(project);
    const name = args.name ?? (await nameIn(config)) ?? packages.name ?? basename(project);
    const out = resolve(args.out ?? `${name.replaceAll(/[^\w.-]+/g, "-")}.mcpb`);
    if (existsSync(out) && !args.force) throw inputError(`${out} already exists. Pass --force to overwrite it.`);
    const serve = [
      ...(args.file === undefined ? [] : [inProject(args.file, project)]),
      ...(args.env === undefined ? [] : ["--env", args.env]),
      ...(config === undefined ? [] : ["--config", config]),
    ];
    const staging = await mkdtemp(join(tmpdir(), "biplane-bundle-"));
    try {
      process.stderr.write("Installing packages …\n");
      await stageProject(project, join(staging, "server"), packages);
      const variables = config === undefined ? [] : variablesIn(await readFile(config, "utf8"));
      const tools = await toolsOf(staging, serve, variables);
      const isTypescript = serve.some((each) => each.endsWith(".ts")) || (await hasTypescript(staging));
      const nodeVersion = isTypescript ? "22.18.0" : "20.19.0";
      const manifest = bundleManifest({ name, packages, serve, variables, nodeVersion, tools });
      const entries: ZipEntry[] = [
        { path: "manifest.json", from: { text: `${JSON.stringify(manifest, undefined, 2)}\n` } },
        ...(await filesBelow(staging)),
      ];
      await writeZip(`${out}.new`, entries);
      await rename(`${out}.new`, out);
      process.stdout.write(
        `Wrote ${out} (${entries.length} files, ${tools.length} tools). Open it with Claude Desktop.\n`,
      );
    } finally {
      await rm(staging, { recursive: true, force: true });
      await rm(`${out}.new`, { force: true });
    }
  },
});

async function nameIn(config: string | undefined): Promise<string | undefined> {
  if (config === undefined) return undefined;
  const { config: loaded, source } = await loadConfig({ file: config, only: ["name"] });
  return source.originOf(["name"]).kind === "default" ? undefined : loaded.name;
}

function inProject(given: string, project: string): string {
  if (!existsSync(given)) throw usageError(`${given} does not exist.`);
  const path = relative(project, resolve(given));
  if (path.startsWith("..")) throw usageError(`${given} is outside of this folder, which is what the bundle gets.`);
  return `./${path.split(sep).join("/")}`;
}

/** The names in `${NAME}` of a config. Those with a default need not be asked for. */
function variablesIn(text: string): string[] {
  const found = text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g);
  return [...new Set(Array.from(found, ([, name = ""]) => name))];
}

/** Starts the server as a host will, which shows that the bundle works, and lists its tools. */
async function toolsOf(staging: string, serve: readonly string[], variables: readonly string[]) {
  const folder = join(staging, "server");
  const args = serve.map((each) => (each.startsWith("./") ? join(folder, each) : each));
  const filled = Object.fromEntries(variables.map((name) => [name, process.env[name] ?? "0".repeat(32)]));
  const env = { ...filled, BIPLANE_STORE: join(staging, ".store", "store.db") };
  await using client = await connect({
    command: process.execPath,
    args: [join(staging, bundledProgram), "serve", ...args, "--stdio"],
    env,
  });
  const tools = await client.listTools();
  await rm(join(staging, ".store"), { recursive: true, force: true });
  return tools;
}

async function hasTypescript(staging: string): Promise<boolean> {
  const files = await readdir(join(staging, "server"), { recursive: true });
  return files.some((each) => /(?<!\.d)\.[cm]?tsx?$/.test(each) && !each.startsWith("node_modules"));
}

/** What is needed at run time: no types, no source maps, no tarballs. */
async function filesBelow(staging: string): Promise<ZipEntry[]> {
  const found = await readdir(staging, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => each.isFile() && !/\.map$|\.d\.[cm]?ts$|\.tgz$/.test(each.name))
    .map((each) => join(each.parentPath, each.name))
    .toSorted()
    .map((path) => ({ path: relative(staging, path).split(sep).join("/"), from: { file: path } }))
    .filter(({ path }) => !path.startsWith("server/node_modules/.bin/"));
}
