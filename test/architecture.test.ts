import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Which packages a package may import, besides Node and the libraries in its manifest. */
const packages: Record<string, readonly string[]> = {
  core: [],
  starlark: [],
  gallery: ["@biplane/core", "@biplane/core/internal", "@biplane/core/apps/builtin"],
  biplane: [
    "@biplane/core",
    "@biplane/core/client",
    "@biplane/core/internal",
    "@biplane/core/wire",
    "@biplane/core/apps/bridge",
    "@biplane/core/apps/builtin",
    "@biplane/core/apps/host",
    "@biplane/core/apps/registry",
    "@biplane/core/apps/sandbox",
    "@biplane/core/apps/view",
    "@biplane/gallery",
    "@biplane/starlark",
    "@biplane/starlark/syntax",
  ],
};

/** Which folders of its package a folder may import. Everyone may import what `everywhere` names. */
const everywhere = new Set(["errors", "is-record", "chain", "decode-uri", "bounds", "start-worker"]);
const folders: Record<string, Record<string, readonly string[]>> = {
  core: {
    bounds: [],
    protocol: [],
    tool: [],
    store: [],
    transport: [],
    call: ["tool", "store"],
    server: ["call", "tool", "store"],
    environment: ["server", "call", "tool", "store"],
    wire: ["transport", "protocol", "server", "environment", "call", "tool", "store"],
    client: ["transport", "protocol", "server", "environment", "call", "tool"],
    app: ["tool", "protocol"],
  },
  biplane: {
    bounds: [],
    apps: [],
    store: [],
    observe: [],
    config: [],
    governance: ["store"],
    skills: [],
    fleet: ["store"],
    code: [],
    schema: [],
    pack: ["code", "schema"],
    rollout: ["store", "code", "observe"],
    queue: ["store", "rollout", "fleet"],
    tau2: ["rollout"],
    trainers: ["rollout"],
    recording: ["rollout"],
    admin: ["governance", "fleet", "store", "rollout", "queue", "pack", "code", "config", "schema"],
    host: [
      "admin",
      "governance",
      "fleet",
      "store",
      "pack",
      "code",
      "config",
      "observe",
      "tau2",
      "recording",
      "rollout",
      "skills",
    ],
    cli: [
      "host",
      "admin",
      "governance",
      "fleet",
      "store",
      "rollout",
      "queue",
      "pack",
      "code",
      "config",
      "observe",
      "tau2",
      "recording",
      "trainers",
    ],
  },
};

/** Every import against the arrows. ARCHITECTURE.md gives the reason for each. */
const exceptions = new Map([
  // A server loads what listens, connects or mounts when it is asked to, so that a plain import stays small.
  ["core/server/server-core.ts → core/wire/serve.ts", "lazy"],
  ["core/server/server-core.ts → core/client/mount/remote-server.ts", "lazy"],
  ["core/server/mount-target.ts → core/client/options.ts", "eager"],
  ["core/server/server.ts → core/client/mount/remote-server.ts", "eager"],
  ["core/environment/environment.ts → core/wire/serve.ts", "lazy"],
  ["core/client/open-transport.ts → core/wire/serve-memory.ts", "lazy"],
  // Runs are stored from the trace format, which belongs to the code that writes traces.
  ["biplane/store/import-records.ts → biplane/rollout/trace.ts", "eager"],
  ["biplane/store/runs/rollout-facts.ts → biplane/rollout/trace.ts", "eager"],
  ["biplane/store/runs/rollouts.ts → biplane/rollout/trace.ts", "eager"],
  ["biplane/store/runs/scores.ts → biplane/rollout/score/scorer.ts", "eager"],
  ["biplane/store/runs/scores.ts → biplane/rollout/score/summary.ts", "eager"],
  ["biplane/store/runs/run-figures.ts → biplane/rollout/score/summary.ts", "eager"],
  ["biplane/store/runs/trace-writer.ts → biplane/rollout/trace.ts", "eager"],
]);

const files = Object.keys(packages).flatMap((name) =>
  readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${name}/${file}`),
);

test("imports point one way, except where ARCHITECTURE.md says so", () => {
  const found = new Map<string, string>();
  for (const file of files) {
    const { name, folder } = placeOf(file);
    const allowed = folders[name]?.[folder];
    if (!folders[name] || !file.includes("/", name.length + 1)) continue; // one-folder packages, and files at the top
    expect(allowed, `the folder of ${file} is not in the table`).toBeDefined();
    for (const { target, isLazy } of importsOf(file)) {
      const other = placeOf(target).folder;
      if (other === folder || everywhere.has(other) || allowed?.includes(other)) continue;
      found.set(`${file} → ${target}`, isLazy ? "lazy" : "eager");
    }
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(exceptions));
});

test("a package imports only the packages it depends on", () => {
  const wrong = files.flatMap((file) => {
    const { name } = placeOf(file);
    return [...source(file).matchAll(/(?:from|import\()\s*"(@biplane\/[^"]+)"/g)]
      .filter(([, target = ""]) => !packages[name]?.includes(target))
      .map(([, target]) => `${file} → ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("every import that crosses packages goes through a package name", () => {
  const crossing = files.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => placeOf(target).name !== placeOf(file).name)
      .map(({ target }) => `${file} → ${target}`),
  );
  expect(crossing).toEqual([]);
});

test("only entry files re-export, and each does so by name, except a whole package", () => {
  const entries = Object.keys(packages).flatMap((name) => {
    const text = readFileSync(join(root, "packages", name, "package.json"), "utf8");
    const manifest = JSON.parse(text) as { exports: Record<string, { "biplane-source"?: string }> };
    return Object.values(manifest.exports).map((entry) => entry["biplane-source"]?.replace("./src", name));
  });
  const barrels = files.filter((file) => /^export (\*|(type )?\{[^}]*\}) from /m.test(source(file)));
  expect(barrels.filter((file) => !entries.includes(file))).toEqual([]);
  const starred = barrels.flatMap((file) =>
    [...source(file).matchAll(/export \* from "([^"]+)"/g)].map(([, from]) => from),
  );
  expect(starred.filter((from) => !from?.startsWith("@biplane/"))).toEqual([]);
});

test("importing @biplane/core loads nothing but Node", () => {
  const eager = new Set<string>();
  const walk = (file: string) => {
    if (eager.has(file)) return;
    eager.add(file);
    for (const { target, isLazy } of importsOf(file)) if (!isLazy) walk(target);
  };
  walk("core/index.ts");
  const outside = [...eager].flatMap((file) => [...source(file).matchAll(/^import (?!type ).*from "([^."][^"]*)"/gm)]);
  expect(outside.map(([, name]) => name).filter((name) => !name?.startsWith("node:"))).toEqual([]);
});

test("ARCHITECTURE.md names files that exist", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const named = Array.from(text.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\/?)`/g), ([, path = ""]) => path);
  const prefixes = ["", ...Object.keys(packages).map((name) => `packages/${name}/src/`)];
  const short = (path: string) => path.replace(/^(core|biplane|gallery|starlark)\//, "packages/$1/src/");
  const isThere = (path: string) => prefixes.some((prefix) => existsSync(join(root, prefix, path)));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((path) => !isThere(path) && !isThere(short(path)))).toEqual([]);
});

function source(file: string): string {
  const [name = "", ...path] = file.split("/");
  return readFileSync(join(root, "packages", name, "src", ...path), "utf8");
}

function placeOf(file: string): { name: string; folder: string } {
  const [name = "", folder = ""] = file.split("/");
  return { name, folder: folder.replace(/\.ts$/, "") };
}

/** Relative imports, as `package/path/in/src.ts`; type-only imports count. */
function importsOf(file: string): { target: string; isLazy: boolean }[] {
  const [name = "", ...path] = file.split("/");
  const folder = dirname(join(root, "packages", name, "src", ...path));
  const found = source(file).matchAll(/(?:^(?:import|export)[^;]*?from|(\bimport)\()\s*"(\.[^"]+)"/gm);
  return [...found].map(([, lazy, specifier = ""]) => ({
    target: relative(join(root, "packages"), resolve(folder, specifier)).replace("/src/", "/"),
    isLazy: lazy !== undefined,
  }));
}
