import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Finding } from "./finding.ts";
import { note, ok, problem } from "./finding.ts";

export interface ProgramOptions {
  readonly folder: string;
  readonly nodeVersion?: string;
  readonly now?: number;
}

/** Node, this package, and the clock. */
export function checkProgram({
  folder,
  nodeVersion = process.versions.node,
  now = Date.now(),
}: ProgramOptions): Finding[] {
  return [node(nodeVersion), typescript(folder), ...packages(folder), clock(now)];
}

function node(version: string): Finding {
  const [needed = "20.19"] = /\d+\.\d+/.exec(manifest.engines?.node ?? "") ?? [];
  if (isAtLeast(version, needed)) return ok("node", version);
  return problem("node", `${version}, and ${needed} or newer is needed`, "install a newer one: nvm install 22");
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = needed.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Whether `biplane serve ./tools.ts` can read the file. */
function typescript(folder: string): Finding {
  if ("typescript" in process.features && process.features.typescript) return ok("typescript", "read by Node itself");
  if (canFind("tsx", folder)) return ok("typescript", "read through tsx");
  return note(
    "typescript",
    "files ending in .ts cannot be read here",
    "npm install --save-dev tsx, or use Node 22.18 or newer",
  );
}

/** A module's server is known only to the copy of Biplane that it imports. */
function packages(folder: string): Finding[] {
  const here = ok("biplane", `${manifest.version}, in ${root}`);
  const other = otherCopy(folder);
  if (other === undefined) return [here];
  const found = `${folder} has a copy of its own (${other}); what its files export is known to that one only`;
  return [here, note("two copies", found, "npx biplane …, in that folder")];
}

function otherCopy(folder: string): string | undefined {
  try {
    const found = createRequire(join(folder, "package.json")).resolve("biplane/package.json");
    return dirname(found) === root ? undefined : dirname(found);
  } catch {
    return undefined; // most folders have none
  }
}

/** A clock that is behind makes certificates, tokens and approvals look as if they came from the future. */
function clock(now: number): Finding {
  const shown = new Date(now).toISOString();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const oneDay = 86_400_000;
  if (now + oneDay < statSync(join(root, "package.json")).mtimeMs)
    return problem("clock", `${shown} is before this package was written`, "set the clock: timedatectl set-ntp true");
  return ok("clock", `${shown}, local zone ${zone}`);
}

/** Whether a package can be had from a folder, or from where this program lies. */
export function canFind(name: string, folder: string): boolean {
  return [join(resolve(folder), "package.json"), import.meta.url].some((from) => {
    try {
      createRequire(from).resolve(name);
      return true;
    } catch (error) {
      // There, but with no door for `require`.
      return (error as NodeJS.ErrnoException).code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
    }
  });
}

const root = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../.." : "..", import.meta.url)).replace(
  /[/\\]$/,
  "",
);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly engines?: { readonly node?: string };
};
