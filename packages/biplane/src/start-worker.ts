import type * as Esbuild from "esbuild";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { WorkerOptions } from "node:worker_threads";
import { startYielding } from "./yielding-thread.ts";

export interface WorkerEntry {
  /** The built file is `<name>-worker.js`, next to the file that contains this function. */
  readonly name: "javascript" | "python" | "html" | "calendar" | "table" | "openapi" | "sqlite";
  /** The TypeScript source, which is bundled at first use in development. */
  readonly source: URL;
}

/** Starts a worker thread from its built file, or in development from its TypeScript source. */
export function startWorker({ name, source }: WorkerEntry, given: WorkerOptions): Worker {
  // Not all options of the program fit a worker, such as --input-type.
  const options = { name, execArgv: [], ...given };
  const file = import.meta.url.endsWith(".ts")
    ? bundled(name, source)
    : new URL(`./${name}-worker.js`, import.meta.url);
  const start = () => new Worker(file, { ...options, eval: typeof file === "string" });
  return name === "sqlite" ? start() : startYielding(start); // everybody waits for the store
}

function bundled(name: string, source: URL): string {
  const code = bundles.get(name) ?? bundle(source);
  bundles.set(name, code);
  return code;
}

const bundles = new Map<string, string>();

/** A bundle starts ten times faster than a worker that transpiles its modules one by one. */
function bundle(source: URL): string {
  const require = createRequire(import.meta.url);
  const { buildSync } = require("esbuild") as typeof Esbuild;
  // It finds its native code beside itself. A worker without a file would look for it in the current folder.
  const sqlite = require.resolve("@photostructure/sqlite");
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    conditions: ["biplane-source"],
    alias: { "@photostructure/sqlite": sqlite },
    external: [sqlite],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
