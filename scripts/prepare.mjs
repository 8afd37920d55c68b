// Makes a fresh clone ready: installs what the lock file lists if it is missing, and builds if sources are newer.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const time = (file) => (existsSync(join(root, file)) ? statSync(join(root, file)).mtimeMs : 0);
const npm = (...args) => {
  // A child npm must not inherit this npm's settings, or it would run the same script again.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  execFileSync("npm", args, { cwd: root, env, stdio: ["ignore", 2, 2] });
};

if (time("node_modules/.package-lock.json") < time("package-lock.json")) {
  process.stderr.write("Installing dependencies …\n");
  npm("ci", "--no-audit", "--no-fund", "--loglevel=error");
}

const packages = ["core", "starlark", "gallery", "biplane"].map((name) => `packages/${name}`);
const sources = [...packages.flatMap((folder) => [`${folder}/src`, `${folder}/package.json`]), "page", "tsconfig.json"];
const newestSource = Math.max(...sources.flatMap(filesIn).map(time));
// The packages are built one after the other, so the last is as old as the whole build.
if (process.argv.includes("--build") && time("packages/biplane/dist/index.js") < newestSource) {
  process.stderr.write("Building …\n");
  npm("run", "build", "--silent");
}

function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true }).map((file) => join(path, file));
}
