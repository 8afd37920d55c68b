// Builds dist/: types by tsc, code by esbuild. One file per entrance and a few shared ones, because Node takes most of a
// millisecond to load a module and a server on standard streams is started for every conversation.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
await build({
  absWorkingDir: root,
  entryPoints: {
    index: "src/index.ts",
    sqlite: "src/store/sqlite.ts",
    gallery: "src/gallery/gallery.ts",
    starlark: "src/starlark/index.ts",
    worker: "src/starlark/pool/worker.ts",
    main: "src/cli/main.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
