import { readFileSync } from "node:fs";

/** The default `clientInfo`. */
export function ownName(): { name: string; version: string } {
  // The manifest is two folders up from the sources, one from the build.
  const path = import.meta.url.endsWith(".ts") ? "../../package.json" : "../package.json";
  const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version: string };
  return { name: "biplane", version };
}
