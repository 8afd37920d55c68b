import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord, tryParseJson } from "@biplane/core/internal";
import { isClone, ownFolder } from "./own-packages.ts";

/**
 * Where npm installed Biplane's packages from, if that is not the registry: the clone, or tarballs. Undefined if other
 * projects can install them by their version.
 */
export function ownSources(): Readonly<Record<string, string>> | undefined {
  if (isClone) return { biplane: `file:${ownFolder}` };
  // npm keeps here what it installed.
  const modules = dirname(ownFolder);
  const file = join(modules, ".package-lock.json");
  const lock = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : undefined;
  const installed = isRecord(lock) && isRecord(lock["packages"]) ? lock["packages"] : {};
  const sources = ["biplane", "@biplane/core", "@biplane/gallery", "@biplane/starlark"].flatMap((name) => {
    const entry = installed[`node_modules/${name}`];
    const resolved = isRecord(entry) ? String(entry["resolved"]) : "";
    return resolved.startsWith("file:") ? [[name, `file:${resolve(modules, "..", resolved.slice(5))}`] as const] : [];
  });
  return sources.length === 0 ? undefined : Object.fromEntries(sources);
}
