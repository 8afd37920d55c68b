#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = new URL("../dist/main.js", import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  const clone = fileURLToPath(new URL("../../..", import.meta.url));
  process.stderr.write(`biplane: This clone is not built yet. Run: cd ${clone} && npm install && npm run build\n`);
  process.exitCode = 1;
}
