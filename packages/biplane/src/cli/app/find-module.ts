import { inputError } from "../command/exit-code.ts";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface FoundModule {
  readonly file: string;
  /** The project's folder, in which the module runs. */
  readonly project: string;
}

/** The module at a path, or the entry module of a folder. */
export function findModule(given: string): FoundModule {
  const path = resolve(given);
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) throw inputError(`${path} does not exist. Create an app with biplane init --kind app.`);
  const file = about.isDirectory() ? entryFiles.map((name) => join(path, name)).find((each) => existsSync(each)) : path;
  if (file === undefined)
    throw inputError(`${path} has no src/server.ts. Pass the file whose default export is a server.`);
  return { file, project: about.isDirectory() ? path : projectOf(file) };
}

const entryFiles = ["src/server", "src/environment", "src/index", "server", "environment", "index"].flatMap((name) =>
  ["ts", "mts", "js", "mjs"].map((suffix) => `${name}.${suffix}`),
);

/** The nearest folder with a package.json (default: the file's folder). */
function projectOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return dirname(file);
  }
}
