// Builds dist/ of every package: declarations by tsc, code by esbuild. Each entry is one file plus a few shared ones,
// because Node needs almost a millisecond per module and a stdio server is started for every conversation.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { build as buildPage } from "vite";
import { oneChunk } from "./one-chunk.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "node20.19",
  packages: "external",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
};

await buildPackage("core", {
  entries: {
    index: "index.ts",
    client: "client/index.ts",
    wire: "wire/index.ts",
    internal: "internal.ts",
    "apps-builtin": "app/built-in.ts",
    "apps-sandbox": "app/sandbox/sandbox-endpoint.ts",
    "apps-registry": "app/app-registry.ts",
  },
  // What every program needs, and what every server needs.
  groups: [
    {
      files: [
        "index.ts",
        "bounds/message-bytes.ts",
        "call/shares.ts",
        "protocol/error-meta.ts",
        "protocol/parse-message.ts",
        "protocol/rpc-code-of.ts",
        "server/foreign.ts",
        "server/listening.ts",
        "transport/guard.ts",
        "transport/stdio.ts",
        "wire/serve.ts",
      ],
    },
    {
      files: ["wire/serve-stdio.ts"],
      entries: ["wire/index.ts", "wire/serve-http.ts", "wire/serve-memory.ts"],
    },
  ],
  browserEntries: {
    "apps-view": "app/browser/view/index.ts",
    "apps-host": "app/browser/host/index.ts",
    "apps-bridge": "app/browser/bridge/index.ts",
  },
  projects: ["packages/core/tsconfig.build.json", "packages/core/src/app/browser"],
  finish: buildViews,
});
await buildPackage("starlark", { entries: { index: "index.ts", syntax: "syntax/index.ts", worker: "pool/worker.ts" } });
await buildPackage("gallery", { entries: { index: "gallery.ts" } });
await buildPackage("biplane", {
  entries: {
    index: "index.ts",
    client: "client.ts",
    code: "code/index.ts",
    gallery: "gallery.ts",
    governance: "governance/index.ts",
    host: "host/index.ts",
    observe: "observe/index.ts",
    packs: "pack/index.ts",
    recording: "recording/index.ts",
    rollout: "rollout/index.ts",
    skills: "skills/index.ts",
    starlark: "starlark.ts",
    store: "store/sql-store.ts",
    tau2: "tau2/index.ts",
    "apps-view": "apps/view.ts",
    "apps-host": "apps/host.ts",
    "apps-builtin": "apps/builtin.ts",
    "apps-sandbox": "apps/sandbox.ts",
    "apps-bridge": "apps/bridge.ts",
    "apps-registry": "apps/registry.ts",
    main: "cli/main.ts",
  },
  // 262 modules, which take longer to load than everything else of the program.
  bundled: ["kysely"],
  workers: {
    "javascript-worker": "code/javascript/worker.ts",
    "python-worker": "code/python/worker.ts",
    "html-worker": "pack/web/html-worker.ts",
    "calendar-worker": "pack/calendar/calendar-worker.ts",
    "table-worker": "rollout/data/table-worker.ts",
    "openapi-worker": "pack/openapi/openapi-worker.ts",
    "sqlite-worker": "store/engine/sqlite-worker.ts",
  },
  finish: (folder) =>
    buildPage({
      configFile: join(root, "page", "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: join(folder, "page"), emptyOutDir: true },
    }),
});

// Editors find it by the comment that `biplane init` writes into biplane.yaml.
const program = join(root, "packages", "biplane", "dist", "main.js");
writeFileSync(
  join(root, "packages", "biplane", "dist", "biplane.schema.json"),
  execFileSync(process.execPath, [program, "config", "schema"]),
);

/** Builds one package into a fresh folder, which replaces dist/ when it is complete. */
async function buildPackage(
  name,
  {
    entries,
    bundled = [],
    groups,
    workers,
    browserEntries,
    projects = [`packages/${name}/tsconfig.build.json`],
    finish,
  },
) {
  const source = join(root, "packages", name, "src");
  const dist = join(root, "packages", name, "dist");
  const fresh = join(root, ".cache", "dist", name);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  emitTypes(projects, { source, outDir: join(fresh, "types") });
  const from = (files) => Object.fromEntries(Object.entries(files).map(([entry, file]) => [entry, join(source, file)]));
  const plugins = [bundleOnly(bundled), ...(groups ? [oneChunk(source, groups)] : [])];
  const main = { entryPoints: from(entries), splitting: true, packages: "bundle", plugins };
  await build({ ...shared, ...main, outdir: fresh, platform: "node" });
  if (workers) {
    // A worker uses little of core, so it carries that with it: importing the whole would slow its start.
    const { dependencies } = manifestOf(name);
    const external = Object.keys(dependencies).filter((each) => !each.startsWith("@biplane/"));
    const whole = { packages: "bundle", external, conditions: ["biplane-source"] };
    await build({ ...shared, ...whole, entryPoints: from(workers), outdir: fresh, platform: "node" });
  }
  if (browserEntries) {
    const entryPoints = from(browserEntries);
    await build({
      ...shared,
      entryPoints,
      outdir: fresh,
      minify: true,
      sourcemap: false,
      platform: "browser",
      target: "es2022",
    });
  }
  await finish?.(fresh);
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
  copyTexts(name);
}

function emitTypes(projects, { source, outDir }) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = [
    "--noEmit",
    "false",
    "--emitDeclarationOnly",
    "--declaration",
    "--rootDir",
    source,
    "--outDir",
    outDir,
  ];
  for (const project of projects) {
    try {
      execFileSync(process.execPath, [tsc, "-p", project, ...options], { cwd: root, stdio: "inherit" });
    } catch {
      process.exit(1);
    }
  }
}

/** The pages of the built-in apps, each as one HTML file. */
async function buildViews(folder) {
  const { app } = await import(pathToFileURL(join(folder, "index.js")).href);
  const views = join(root, "packages", "core", "src", "app", "browser", "views");
  mkdirSync(join(folder, "views"));
  for (const name of readdirSync(views).filter((name) => existsSync(join(views, name, "main.ts")))) {
    writeFileSync(join(folder, "views", `${name}.html`), app({ entry: join(views, name, "main.ts") }).html);
  }
}

/** Texts that npm packs with the package, as its manifest lists them. */
function copyTexts(name) {
  const folder = join(root, "packages", name);
  for (const file of manifestOf(name).files.filter((file) => /^[A-Z]/.test(file)))
    copyFileSync(join(root, file), join(folder, file));
}

/** Leaves every package but these to be imported. */
function bundleOnly(names) {
  const resolve = ({ path }) => (names.includes(path) ? undefined : { path, external: true });
  return { name: "bundle-only", setup: ({ onResolve }) => onResolve({ filter: /^[\w@]/ }, resolve) };
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}
