import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { version } from "../../host/version.ts";
import { writePackedManifest } from "./packed-manifest.ts";
import type { ProjectPackages } from "./project-packages.ts";
import { runNpm } from "./run-npm.ts";

/** Copies a project and installs what it needs at run time. Leaves out what npm would not publish. */
export async function stageProject(project: string, target: string, packages: ProjectPackages): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const path of await filesOf(project, packages)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(project, path), join(target, path));
  }
  const options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  if (packages.needsPacking) {
    const packed = join(target, ".packed");
    await writePackedManifest(project, packed, packages);
    await runNpm(["ci", ...options], { cwd: packed });
    await rename(join(packed, "node_modules"), join(target, "node_modules"));
    await rm(packed, { recursive: true });
    if (!packages.hasManifest) await writeFile(join(target, "package.json"), '{ "private": true, "type": "module" }\n');
  } else if (packages.hasLock) {
    await cp(join(project, "package-lock.json"), join(target, "package-lock.json"));
    await runNpm(["ci", ...options], { cwd: target });
  } else
    await runNpm(["install", ...options, ...(packages.hasManifest ? [] : [`biplane@${version}`])], { cwd: target });
}

/** What npm would publish: the `files` of package.json, or all that .npmignore and .gitignore do not exclude. */
async function filesOf(project: string, { hasManifest }: ProjectPackages): Promise<string[]> {
  if (!hasManifest) {
    const all = await readdir(project, { withFileTypes: true });
    return all.filter((each) => each.isFile() && !each.name.startsWith(".")).map(({ name }) => name);
  }
  const listed = await runNpm(["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: project });
  const [first] = JSON.parse(listed) as { files: { path: string }[] }[];
  return (first?.files ?? []).map(({ path }) => path).filter((path) => !/\.(mcpb|tgz)$/.test(path));
}
