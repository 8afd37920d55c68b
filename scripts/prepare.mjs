// Makes a fresh clone ready: installs what the lock file says where it is missing, and builds where sources are newer.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const time = (file) => (existsSync(join(root, file)) ? statSync(join(root, file)).mtimeMs : 0);
const npm = (...words) => {
  // A child npm must not inherit what this npm was told, or it would run the same script again.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  execFileSync("npm", words, { cwd: root, env, stdio: ["ignore", 2, 2] });
};

if (time("node_modules/.package-lock.json") < time("package-lock.json")) {
  process.stderr.write("Installing dependencies …\n");
  npm("ci", "--no-audit", "--no-fund", "--loglevel=error");
}

const newestSource = Math.max(
  time("package.json"),
  time("tsconfig.json"),
  ...["src", "page"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => time(join(folder, file))),
  ),
);
if (process.argv.includes("--build") && time("dist/index.js") < newestSource) {
  process.stderr.write("Building …\n");
  npm("run", "build", "--silent");
}
