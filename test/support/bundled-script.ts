import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".cache", `test-scripts-${process.pid}`);
const bundles = new Map<string, string>();

/**
 * A TypeScript file of the tests, bundled with our sources, for `node` to run. Through tsx, each start would transform
 * all of them again and take a second of CPU time. For scripts that need files beside our sources, use `sourceScript`.
 */
export function bundledScript(source: URL): string {
  const known = bundles.get(source.href);
  if (known !== undefined) return known;
  if (bundles.size === 0) {
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(folder, { recursive: true });
    bundle(storeWorker, join(folder, "sqlite-worker.js"));
  }
  const outfile = join(folder, `${bundles.size}-${basename(source.pathname, ".ts")}.mjs`);
  bundle(source, outfile);
  bundles.set(source.href, outfile);
  return outfile;
}

/** Stores in files start it. It is beside the code that does, as in our packages. */
export const storeWorker = new URL("../../packages/biplane/src/store/engine/sqlite-worker.ts", import.meta.url);

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

/** Arguments for `node` to run a TypeScript file of the tests from our sources. */
export function sourceScript(source: URL): string[] {
  return ["--import", "tsx", "--conditions=biplane-source", fileURLToPath(source)];
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
