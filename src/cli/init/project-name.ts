import { basename, resolve } from "node:path";
import { BiplaneError } from "../../errors.ts";

/** The name of a project in a folder: what npm, YAML and addresses all take. */
export function projectName(folder: string): string {
  const given = basename(resolve(folder));
  const name = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (name === "" || name.length > longest)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${JSON.stringify(given)} gives no name: a folder's name needs letters or digits, at most ${longest} of them, such as my-desk`,
    );
  const taken = takenNames[name];
  if (taken !== undefined)
    throw new BiplaneError("INVALID_INPUT", `a project cannot be called ${name}, which is ${taken}; try my-${name}`);
  return name;
}

const longest = 64;

const door = "one of the doors that a server has";
const needed = "a package that it needs itself";
const takenNames: Readonly<Partial<Record<string, string>>> = {
  api: door,
  mcp: door,
  e: door,
  env: door,
  control: door,
  k: door,
  assets: door,
  sandbox: door,
  biplane: needed,
  zod: needed,
  tsx: needed,
  typescript: needed,
  esbuild: needed,
  "node-modules": "where npm puts packages",
};
