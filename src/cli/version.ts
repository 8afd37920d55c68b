import { readFileSync } from "node:fs";

/** From the sources and from what is built of them, the manifest is not equally far away. */
const path = import.meta.url.endsWith(".ts") ? "../../package.json" : "../package.json";
const manifest = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version: string };

/** The version of this package. */
export const { version } = manifest;
