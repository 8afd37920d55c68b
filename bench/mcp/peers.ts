import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A folder for packages that only the benchmark needs. */
export const cache = join(import.meta.dirname, "../../.cache/bench");
export const servers = join(import.meta.dirname, "servers");

export const dependencies = {
  "@hono/node-server": "2.1.6",
  "@tmcp/adapter-zod": "0.1.7",
  "@tmcp/transport-http": "0.9.0",
  fastmcp: "4.20.16",
  "mcp-lite": "0.10.0",
  tmcp: "1.20.0",
  zod: "4.6.7",
};

/** Installs the peers once into a separate folder and copies their servers to it. Prints why if that fails. */
export function installPeers(): string | undefined {
  mkdirSync(cache, { recursive: true });
  for (const file of ["control.mjs", "fastmcp.mjs", "tmcp.mjs", "mcp-lite.mjs"]) {
    copyFileSync(join(servers, file), join(cache, file));
  }
  const wanted = `${JSON.stringify({ private: true, type: "module", dependencies }, null, 2)}\n`;
  const installed = join(cache, "installed.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return undefined;
  process.stderr.write("Installing fastmcp, tmcp and mcp-lite into .cache/bench …\n");
  writeFileSync(join(cache, "package.json"), wanted);
  // A child npm must not inherit this npm's settings.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", words, { cwd: cache, env, stdio: ["ignore", "ignore", "inherit"], timeout: 180_000 });
  } catch {
    return "npm could not install them";
  }
  writeFileSync(installed, wanted);
  return undefined;
}
