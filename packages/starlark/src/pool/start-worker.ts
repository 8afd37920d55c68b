import type * as Esbuild from "esbuild";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { startYielding } from "./yielding-thread.ts";

/** Starts the worker next to this file: the built one, or in development a bundle of the TypeScript source. */
export function startWorker(options: WorkerOptions): Worker {
  const file = import.meta.url.endsWith(".ts") ? (bundled ??= bundle()) : new URL("./worker.js", import.meta.url);
  return startYielding(() => new Worker(file, { ...options, eval: typeof file === "string" }));
}

let bundled: string | undefined;

function bundle(): string {
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof Esbuild;
  const entry = fileURLToPath(new URL("./worker.ts", import.meta.url));
  const { outputFiles } = buildSync({ entryPoints: [entry], bundle: true, write: false, platform: "node" });
  return outputFiles[0]?.text ?? "";
}
