// Builds dist/: types by tsc, code by esbuild. One file per entrance and a few shared ones, because Node takes most of a
// millisecond to load a module and a server on standard streams is started for every conversation.
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = join(root, ".cache", "dist");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

// The old build stays until the new one is whole.
rmSync(fresh, { recursive: true, force: true });
mkdirSync(fresh, { recursive: true });
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", join(fresh, "types")], {
    cwd: root,
    stdio: "inherit",
  });
} catch {
  process.exit(1);
}
await build({
  absWorkingDir: root,
  entryPoints: {
    index: "src/index.ts",
    sqlite: "src/store/sqlite.ts",
    gallery: "src/gallery/gallery.ts",
    starlark: "src/starlark/index.ts",
    admin: "src/admin/index.ts",
    client: "src/client/index.ts",
    code: "src/code/index.ts",
    observe: "src/observe/index.ts",
    packs: "src/pack/index.ts",
    rollout: "src/rollout/index.ts",
    worker: "src/starlark/pool/worker.ts",
    "javascript-worker": "src/code/javascript/worker.ts",
    "python-worker": "src/code/python/worker.ts",
    "html-worker": "src/pack/web/html-worker.ts",
    main: "src/cli/main.ts",
  },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));
