import { readFileSync } from "node:fs";

/** Who we say we are, unless a program says otherwise. */
export function ownName(): { name: string; version: string } {
  // From the sources and from what is built of them, the manifest is not equally far away.
  const path = import.meta.url.endsWith(".ts") ? "../../package.json" : "../package.json";
  const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version: string };
  return { name: "biplane", version };
}
