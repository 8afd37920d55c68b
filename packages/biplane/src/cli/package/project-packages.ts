import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@biplane/core/internal";
import { inputError } from "../command/exit-code.ts";
import { isClone } from "./own-packages.ts";

/** What a project's package.json says, as far as shipping the project needs it. */
export interface ProjectPackages {
  readonly hasManifest: boolean;
  readonly hasLock: boolean;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly author: string | undefined;
  /** Dependencies on Biplane's packages that only this machine can install: a clone, or a file elsewhere. */
  readonly localPackages: readonly string[];
  /** True if Biplane has to be packed, because other machines cannot install it from the registry. */
  readonly needsPacking: boolean;
}

/** Reads what is needed of a project's package.json, if there is one. */
export function projectPackages(folder: string): ProjectPackages {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return { ...nothing, needsPacking: isClone };
  const manifest = read(file);
  const dependencies = isRecord(manifest["dependencies"]) ? manifest["dependencies"] : {};
  const own = Object.entries(dependencies).filter(([name]) => name === "biplane" || name.startsWith("@biplane/"));
  const localPackages = own.filter(([, range]) => /^(file|link):/.test(String(range))).map(([name]) => name);
  const { author } = manifest;
  return {
    hasManifest: true,
    hasLock: existsSync(join(folder, "package-lock.json")),
    name: textOf(manifest["name"]),
    version: textOf(manifest["version"]),
    description: textOf(manifest["description"]),
    author: textOf(isRecord(author) ? author["name"] : author),
    localPackages,
    needsPacking: localPackages.length > 0 || (own.length === 0 && isClone),
  };
}

const nothing = {
  hasManifest: false,
  hasLock: false,
  name: undefined,
  version: undefined,
  description: undefined,
  author: undefined,
  localPackages: [],
};

function read(file: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isRecord(manifest)) return manifest;
  } catch {
    // It is not JSON, as below.
  }
  throw inputError(`${file} is not a JSON object. Mend it, then run this again.`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
