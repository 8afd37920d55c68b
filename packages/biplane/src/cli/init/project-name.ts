import { basename, resolve } from "node:path";
import { usageError } from "../command/exit-code.ts";

/** The project's name, made from its folder: valid in npm, YAML and URLs. */
export function projectName(folder: string): string {
  const given = basename(resolve(folder));
  const name = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (name === "" || name.length > maxLength)
    throw usageError(
      `${JSON.stringify(given)} is not usable as a project name. Use letters and digits, at most ${maxLength}, such as my-server.`,
    );
  const reason = reservedNames[name];
  if (reason !== undefined) throw usageError(`${name} is reserved: it is ${reason}. Try my-${name}.`);
  return name;
}

const maxLength = 64;

const path = "a path of the HTTP server";
const needed = "a package that the project depends on";
const reservedNames: Readonly<Partial<Record<string, string>>> = {
  api: path,
  mcp: path,
  e: path,
  env: path,
  control: path,
  k: path,
  assets: path,
  sandbox: path,
  biplane: needed,
  zod: needed,
  tsx: needed,
  typescript: needed,
  esbuild: needed,
  "node-modules": "the folder of npm's packages",
};
