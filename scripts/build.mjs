// Builds dist/: types by tsc, code by esbuild. One file per entrance and a few shared ones, because Node takes most of a
// millisecond to load a module and a server on standard streams is started for every conversation.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { build as buildPage } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = join(root, ".cache", "dist");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

// The old build stays until the new one is whole.
rmSync(fresh, { recursive: true, force: true });
mkdirSync(fresh, { recursive: true });
const types = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--outDir", join(fresh, "types")];
try {
  for (const project of ["tsconfig.build.json", "src/app/browser"]) {
    execFileSync(process.execPath, [tsc, "-p", project, "--rootDir", "src", ...types], { cwd: root, stdio: "inherit" });
  }
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
    apps: "src/app/built-in.ts",
    "app-sandbox": "src/app/sandbox/sandbox-door.ts",
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
// What runs in browsers: both sides of an app for others to bundle, the pages of our own apps, and the people's page.
await build({
  absWorkingDir: root,
  entryPoints: { app: "src/app/browser/view/index.ts", "app-host": "src/app/browser/host/index.ts" },
  outdir: fresh,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
});
const { app } = await import(pathToFileURL(join(fresh, "index.js")).href);
const views = join(root, "src", "app", "browser", "views");
mkdirSync(join(fresh, "apps"));
for (const name of readdirSync(views).filter((name) => existsSync(join(views, name, "main.ts")))) {
  writeFileSync(join(fresh, "apps", `${name}.html`), app({ entry: join(views, name, "main.ts") }).html);
}
await buildPage({
  configFile: join(root, "page", "vite.config.ts"),
  logLevel: "warn",
  build: { outDir: join(fresh, "page"), emptyOutDir: true },
});
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));
