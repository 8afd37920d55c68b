import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@biplane/core/internal";
import { packOwnPackages } from "./own-packages.ts";
import type { ProjectPackages } from "./project-packages.ts";
import { runNpm } from "./run-npm.ts";

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Writes a folder from which `npm ci` installs what a project needs, without a clone: Biplane's packages as tarballs,
 * and the project's package.json and lock file with them in place of the folders of this machine.
 */
export async function writePackedManifest(project: string, folder: string, packages: ProjectPackages): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const tarballs = await packOwnPackages(folder);
  const manifest = packages.hasManifest ? await readManifest(join(project, "package.json")) : { type: "module" };
  const { devDependencies: _, workspaces: __, scripts: ___, ...rest } = manifest;
  const own = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]));
  const dependencies = { ...without(manifest["dependencies"], packages.localPackages), ...own };
  await writeFile(join(folder, "package.json"), json({ ...rest, private: true, dependencies }));
  if (packages.hasLock)
    await writeFile(
      join(folder, "package-lock.json"),
      json(withoutLinks(await readManifest(join(project, "package-lock.json")))),
    );
  await runNpm(["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd: folder,
  });
}

/** Without packages that are folders elsewhere, and without the links to them. */
function withoutLinks(lock: Manifest): Manifest {
  const packages = Object.entries(isRecord(lock["packages"]) ? lock["packages"] : {}).filter(
    ([path, each]) => (path === "" || path.startsWith("node_modules/")) && !(isRecord(each) && each["link"] === true),
  );
  return { ...lock, packages: Object.fromEntries(packages) };
}

function without(dependencies: unknown, names: readonly string[]): Manifest {
  const all = Object.entries(isRecord(dependencies) ? dependencies : {});
  return Object.fromEntries(all.filter(([name]) => !names.includes(name)));
}

async function readManifest(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, "utf8")) as Manifest;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
