import { fileURLToPath } from "node:url";
import { madeOnce } from "./made-once.ts";
import { runToEnd } from "./project.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const script = fileURLToPath(new URL("../../scripts/pack.mjs", import.meta.url));
const sources = ["core", "starlark", "gallery", "biplane"].flatMap((name) => [
  `packages/${name}/package.json`,
  `packages/${name}/dist`,
]);

/** A folder with the packages as npm would publish them, a tarball each. */
export function packedPackages(): Promise<string> {
  return madeOnce("packed", { sources, make: (folder) => mustRun([process.execPath, script, folder], folder) });
}

/**
 * The folder of a new user, to be copied: `packed` has the packages, and in `home` they are installed, by the command of
 * README.md, "Start a project".
 */
export function newUserFolder(): Promise<string> {
  const install = "npm install --no-audit --no-fund --prefer-offline ../packed/*.tgz";
  const make = async (kept: string) => {
    await using outside = await temporaryFolder();
    const packed = await packedPackages();
    const script = `mkdir home && cp -R '${packed}' packed && cd home && ${install} && cp -R ../. '${kept}'`;
    await mustRun(["/bin/sh", "-c", script], outside.path);
  };
  return madeOnce("new-user", { sources, make });
}

/** Makes a folder that of a new user. It must be outside of the clone, so that only these packages are found. */
export async function fillNewUserFolder(folder: string): Promise<void> {
  await mustRun(["cp", "-R", `${await newUserFolder()}/.`, folder], folder);
}

async function mustRun([command = "", ...words]: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await runToEnd(command, words, { cwd, timeoutMs: 200_000 });
  if (code !== 0) throw new Error(`${[command, ...words].join(" ")} exited with ${code}:\n${stdout}\n${stderr}`);
}
