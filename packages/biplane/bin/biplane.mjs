#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Node 22.8 and newer keep compiled code, so that the next start is faster. Its default folder is in the temporary
// folder, where other users could put code of theirs.
const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
module.enableCompileCache?.(join(caches, "biplane", "compiled"));

const main = new URL("../dist/main.js", import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  const clone = fileURLToPath(new URL("../../..", import.meta.url));
  process.stderr.write(`biplane: This clone is not built yet. Run: cd ${clone} && npm install && npm run build\n`);
  process.exitCode = 1;
}
