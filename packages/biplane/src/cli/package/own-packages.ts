import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm } from "./run-npm.ts";

/** The folder of the package `biplane` that runs now. */
export const ownFolder = ((here: string) => resolve(dirname(here), here.endsWith(".ts") ? "../../.." : ".."))(
  fileURLToPath(import.meta.url),
);

/** True if this program runs from a clone of the repository, not from an installed package. */
export const isClone = !ownFolder.split(sep).includes("node_modules");

/** Packs Biplane as it runs now, for machines that cannot install it from the registry. Returns the files by package. */
export async function packOwnPackages(folder: string): Promise<Readonly<Record<string, string>>> {
  const require = createRequire(join(ownFolder, "package.json"));
  const others = ["@biplane/core", "@biplane/starlark", "@biplane/gallery"];
  const folders = [ownFolder, ...others.map((name) => dirname(require.resolve(`${name}/package.json`)))];
  const packed = await runNpm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...folders], {
    cwd: ownFolder,
  });
  return Object.fromEntries(
    (JSON.parse(packed) as { name: string; filename: string }[]).map(({ name, filename }) => [name, filename]),
  );
}
