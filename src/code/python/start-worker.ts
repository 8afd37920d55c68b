import type * as Esbuild from "esbuild";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts the worker entry beside this file: the built one, or in development a bundle of the TypeScript source. */
export function startWorker(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./python-worker.js", import.meta.url), options);
  return new Worker((bundle ??= bundleSource()), { ...options, eval: true });
}

let bundle: string | undefined;

/** A bundle starts ten times as fast as a worker that has to translate its modules one by one. */
function bundleSource(): string {
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./worker.ts", import.meta.url))],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    packages: "external",
  });
  return outputFiles[0]?.text ?? "";
}
