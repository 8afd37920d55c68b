// Packs the packages into packed/, as npm would publish them: node scripts/pack.mjs [folder]
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = resolve(process.argv[2] ?? join(root, "packed"));
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const workspaces = ["core", "starlark", "gallery", "biplane"].flatMap((name) => ["--workspace", `packages/${name}`]);
// A child npm must not inherit this npm's settings.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name)));
execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, ...workspaces], {
  cwd: root,
  env,
  stdio: ["ignore", "ignore", "inherit"],
});
process.stderr.write(`Packed into ${target}\n`);
