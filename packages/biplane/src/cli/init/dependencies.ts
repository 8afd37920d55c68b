import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../host/version.ts";

/** Version ranges for the package.json of a new project. A test compares them with those that Biplane is tested with. */
const testedVersions: Readonly<Record<string, string>> = {
  "@types/node": "^20.19.43",
  esbuild: "^0.28.2",
  tsx: "^4.23.15",
  typescript: "^7.0.2",
  zod: "^4.6.7",
};

/** Version ranges by package. A clone of the repository is referred to by its path, so that it needs no `npm link`. */
export function dependencyVersions(): Readonly<Record<string, string>> {
  const here = fileURLToPath(import.meta.url);
  const root = resolve(dirname(here), here.endsWith(".ts") ? "../../.." : "..");
  const isInstalled = root.split(sep).includes("node_modules");
  return { ...testedVersions, biplane: isInstalled ? `^${version}` : `file:${root}` };
}
