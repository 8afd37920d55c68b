import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BiplaneError } from "../../errors.ts";

export interface FoundModule {
  readonly file: string;
  /** The folder of its project: where it runs, so that it finds what is installed there. */
  readonly project: string;
}

/** The module that a path means: itself, or the one in a folder. */
export function findModule(given: string): FoundModule {
  const path = resolve(given);
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) throw new BiplaneError("INVALID_INPUT", `there is no ${path}; biplane init --kind app makes one`);
  const file = about.isDirectory() ? usual.map((name) => join(path, name)).find((each) => existsSync(each)) : path;
  if (file === undefined)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${path} has no src/server.ts; name the file whose default export is a server`,
    );
  return { file, project: about.isDirectory() ? path : projectOf(file) };
}

const usual = ["src/server", "src/environment", "src/index", "server", "environment", "index"].flatMap((name) =>
  ["ts", "mts", "js", "mjs"].map((suffix) => `${name}.${suffix}`),
);

/** The nearest folder with a package.json; else its own. */
function projectOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return dirname(file);
  }
}
