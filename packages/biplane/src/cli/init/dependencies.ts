import { version } from "../../host/version.ts";
import { ownSources } from "../package/own-sources.ts";

/** Version ranges for the package.json of a new project. A test compares them with those that Biplane is tested with. */
const testedVersions: Readonly<Record<string, string>> = {
  "@types/node": "^20.19.43",
  esbuild: "^0.28.2",
  tsx: "^4.23.15",
  typescript: "^7.0.2",
  zod: "^4.6.7",
};

/**
 * Version ranges by package. A clone of the repository, or tarballs that Biplane was installed from, are referred to by
 * their paths, so that a project needs neither the registry nor `npm link`.
 */
export function dependencyVersions(): Readonly<Record<string, string>> {
  return { ...testedVersions, biplane: `^${version}`, ...ownSources() };
}
