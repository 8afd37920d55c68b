import { version } from "../../host/version.ts";
import { isClone, ownFolder } from "../package/own-packages.ts";

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
  return { ...testedVersions, biplane: isClone ? `file:${ownFolder}` : `^${version}` };
}
