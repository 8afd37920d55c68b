import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".cache", `test-scripts-${process.pid}`);
const bundles = new Map<string, string>();

/**
 * A TypeScript file of the tests, bundled with our sources and the workers that it starts, for `node` to run. Through
 * tsx, each start would transform all of them again and take a second of CPU time.
 */
export function bundledScript(source: URL, starts: readonly WorkerName[] = ["sqlite"]): string {
  for (const name of starts) bundleOnce(workers[name], name === "starlark" ? "worker.js" : `${name}-worker.js`);
  return bundleOnce(source, `${bundles.size}-${basename(source.pathname, ".ts")}.mjs`);
}

type WorkerName = keyof typeof workers;

/** They are beside the code that starts them, as in our packages. */
const workers = {
  sqlite: new URL("../../packages/biplane/src/store/engine/sqlite-worker.ts", import.meta.url),
  javascript: new URL("../../packages/biplane/src/code/javascript/worker.ts", import.meta.url),
  python: new URL("../../packages/biplane/src/code/python/worker.ts", import.meta.url),
  starlark: new URL("../../packages/starlark/src/pool/worker.ts", import.meta.url),
};

export const storeWorker = workers.sqlite;

let isPrepared = false;

function bundleOnce(source: URL, name: string): string {
  const known = bundles.get(source.href);
  if (known !== undefined) return known;
  if (!isPrepared) {
    isPrepared = true;
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    // As in our packages: the manifest above the code, the built-in apps beside it.
    mkdirSync(join(folder, "dist"), { recursive: true });
    copyFileSync(join(root, "packages", "biplane", "package.json"), join(folder, "package.json"));
    symlinkSync(join(root, "packages", "core", "dist", "views"), join(folder, "dist", "views"));
  }
  const outfile = join(folder, "dist", name);
  bundle(source, outfile);
  bundles.set(source.href, outfile);
  return outfile;
}

function bundle(source: URL, outfile: string): void {
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["biplane-source"],
    external: libraries(),
    logLevel: "error",
  });
}

/** Everything that our packages and tests use from npm, except Kysely, whose 262 modules take long to load. */
function libraries(): string[] {
  const manifests = ["", "packages/core", "packages/starlark", "packages/gallery", "packages/biplane"];
  const names = manifests.flatMap((path) => {
    const text = readFileSync(join(root, path, "package.json"), "utf8");
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(text) as Manifest;
    return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  });
  return [...new Set(names)].filter((name) => name !== "biplane" && name !== "kysely" && !name.startsWith("@biplane/"));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
