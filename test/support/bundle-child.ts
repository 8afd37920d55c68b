import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { storeWorker } from "./bundled-script.ts";

/** One file of a child process and all our modules that it needs, for tests that start hundreds of them. */
export async function bundleChild(source: URL): Promise<BundledChild> {
  // Beside the packages, so that libraries are found.
  const folder = mkdtempSync(fileURLToPath(new URL("../../node_modules/.bundle-", import.meta.url)));
  const file = join(folder, "dist", "child.js");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "child", version: "0.0.0", type: "module" }));
  await build({
    entryPoints: { child: fileURLToPath(source), "sqlite-worker": fileURLToPath(storeWorker) },
    outdir: join(folder, "dist"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["biplane-source"],
    external: ["pg", "@photostructure/sqlite", "ws", "zod", "esbuild", "playwright-core", "@opentelemetry/api"],
    logLevel: "error",
  });
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

export interface BundledChild extends Disposable {
  readonly file: string;
}
