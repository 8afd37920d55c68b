// Installs gymnasium with Box2D, and plays our lunar lander beside it: lander.mjs SEEDS STEPS
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cache, install } from "../../interop/packages.mjs";
import { suites } from "../../interop/suites.mjs";

mkdirSync(cache, { recursive: true });
const script = fileURLToPath(new URL("../../interop/lunar-lander.mjs", import.meta.url));
const { home, reason } = await install(suites.find((suite) => suite.script === "lunar-lander.mjs"));
if (reason) process.stdout.write(`\n${JSON.stringify({ reason })}\n`);
else
  spawnSync(process.execPath, [...process.execArgv, script, "", home, ...process.argv.slice(2)], { stdio: "inherit" });
