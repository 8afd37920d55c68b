import { readFileSync } from "node:fs";

/** The source files are one folder deeper than the built ones. */
const path = import.meta.url.endsWith(".ts") ? "../../package.json" : "../package.json";
const manifest = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version: string };

/** The version of this package. */
export const { version } = manifest;
