import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Finding } from "./finding.ts";
import { note, ok, failure } from "./finding.ts";

export interface ProgramOptions {
  readonly folder: string;
  readonly nodeVersion?: string;
  readonly now?: number;
}

/** Checks Node, TypeScript support, this package and the clock. */
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
  return failure("node", `${version}; ${needed} or newer is required`, "nvm install 22");
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = needed.split(".").map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

/** Checks that `biplane serve ./tools.ts` can load TypeScript. */
function typescript(folder: string): Finding {
  if ("typescript" in process.features && process.features.typescript) return ok("typescript", "supported by Node");
  if (canFind("tsx", folder)) return ok("typescript", "supported through tsx");
  return note(
    "typescript",
    "not supported; .ts files cannot be loaded",
    "npm install --save-dev tsx, or use Node 22.18 or newer",
  );
}

/** A server is only recognized by the copy of Biplane that created it, so two copies are a problem. */
function packages(folder: string): Finding[] {
  const here = ok("biplane", `${manifest.version}, in ${root}`);
  const other = otherCopy(folder);
  if (other === undefined) return [here];
  const found = `${folder} has its own copy (${other}); this one cannot serve its modules`;
  return [here, note("two copies", found, "run npx biplane … in that folder")];
}

function otherCopy(folder: string): string | undefined {
  try {
    const found = createRequire(join(folder, "package.json")).resolve("biplane/package.json");
    return dirname(found) === root ? undefined : dirname(found);
  } catch {
    return undefined; // no other copy
  }
}

/** With a slow clock, certificates and tokens seem not to be valid yet. */
function clock(now: number): Finding {
  const shown = new Date(now).toISOString();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const oneDay = 86_400_000;
  if (now + oneDay < statSync(join(root, "package.json")).mtimeMs)
    return failure(
      "clock",
      `${shown} is earlier than this package's release`,
      "set the clock: timedatectl set-ntp true",
    );
  return ok("clock", `${shown}, time zone ${zone}`);
}

/** True if a package can be resolved from the folder or from this program. */
export function canFind(name: string, folder: string): boolean {
  return [join(resolve(folder), "package.json"), import.meta.url].some((from) => {
    try {
      createRequire(from).resolve(name);
      return true;
    } catch (error) {
      // Installed, but without an export for `require`.
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
