// Runs the official MCP conformance suite against the example server: npm run conformance
// The suite needs a newer Node than we do; both come from the registry into .cache/, once.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "conformance");
const packages = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", `node-${process.platform}-${process.arch}@24`];
const node = join(cache, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
const suite = join(cache, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");

const runs = [
  { title: "every scenario", words: ["--suite", "all"] },
  { title: "required by 2025-11-25", words: ["--requirements", "2025-11-25"] },
  { title: "required by 2026-07-28", words: ["--requirements", "2026-07-28"] },
];

if (!fetchSuite()) {
  console.log("conformance: the suite could not be fetched from the registry, so nothing was checked");
  process.exit(0);
}
const { url, stop } = await startServer();
let failed = 0;
try {
  for (const { title, words } of runs) {
    const out = join(cache, "out");
    rmSync(out, { recursive: true, force: true });
    await run(["server", "--url", url, ...words, "-o", out]);
    const checks = readChecks(out);
    const bad = checks.filter(({ status }) => status === "FAILURE");
    const passed = checks.filter(({ status }) => status === "SUCCESS").length;
    const warnings = checks.filter(({ status }) => status === "WARNING").length;
    const scenarios = new Set(checks.map(({ scenario }) => scenario)).size;
    console.log(
      `${title}: ${scenarios} scenarios, ${passed} checks passed, ${bad.length} failed, ${warnings} warnings`,
    );
    for (const { scenario, id, errorMessage } of bad) console.log(`  ${scenario}: ${id}: ${errorMessage}`);
    failed += bad.length + (passed === 0 ? 1 : 0);
  }
} finally {
  stop();
}
process.exit(failed > 0 ? 1 : 0);

function fetchSuite() {
  if (existsSync(node) && existsSync(suite)) return true;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  try {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], {
      cwd: cache,
      stdio: "inherit",
    });
  } catch {
    return false;
  }
  return existsSync(node) && existsSync(suite);
}

function startServer() {
  const words = ["--import", "tsx", "--conditions=biplane-source", join(root, "conformance", "server.ts")];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the example server ended with ${code}`)));
    createInterface(child.stdout).once("line", (url) => resolve({ url, stop: () => child.kill() }));
  });
}

function run(words) {
  return new Promise((resolve) => {
    const child = spawn(node, [suite, ...words], { cwd: cache, stdio: "ignore" });
    child.once("exit", resolve);
  });
}

function readChecks(out) {
  return readdirSync(out).flatMap((scenario) => {
    const checks = JSON.parse(readFileSync(join(out, scenario, "checks.json"), "utf8"));
    return checks.map((check) => ({ scenario: scenario.replace(/-\d{4}-\d\d-\d\dT.*$/, ""), ...check }));
  });
}
