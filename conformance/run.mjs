// Runs the official MCP conformance suite against the example server and with the example client: npm run conformance
// One side or one scenario: npm run conformance -- server --scenario=sep-2640-skills-manifest
// The suite needs a newer Node than we do. Both are installed into .cache/ once.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { summarize } from "./summary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "conformance");
const packages = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", `node-${process.platform}-${process.arch}@24`];
const node = join(cache, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
const suite = join(cache, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");

const single = process.argv.find((word) => word.startsWith("--scenario="))?.slice("--scenario=".length);
const selections = [
  { title: "every scenario", words: ["--suite", "all"] },
  { title: "required by 2025-11-25", words: ["--requirements", "2025-11-25"] },
  { title: "required by 2026-07-28", words: ["--requirements", "2026-07-28"] },
].filter(() => single === undefined);
if (single !== undefined) selections.push({ title: single, words: ["--scenario", single] });
const client = `${process.execPath} --import tsx --conditions=biplane-source ${join("conformance", "client.ts")}`;
const sides = process.argv.slice(2).filter((side) => side === "server" || side === "client");

if (!fetchSuite()) {
  console.log("conformance: the suite could not be fetched from the registry, so nothing was checked");
  process.exit(0);
}
const { url, stop } = await startServer();
const roles = [
  { role: "server", words: ["--url", url] },
  { role: "client", words: ["--command", client, "--timeout", "60000"] },
].filter(({ role }) => sides.length === 0 || sides.includes(role));
const runs = roles.flatMap((side) => selections.map((selection) => ({ side, selection })));
let failed = 0;
try {
  for (const { side, selection } of runs) {
    const title = `${side.role}, ${selection.title}`;
    const out = join(cache, "out");
    rmSync(out, { recursive: true, force: true });
    await run([side.role, ...side.words, ...selection.words, "-o", out]);
    const checks = readChecks(out);
    const summary = summarize(title, checks);
    for (const line of summary.lines) console.log(line);
    failed += summary.failed;
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
    const child = spawn(node, [suite, ...words], { cwd: root, stdio: "ignore" });
    child.once("exit", resolve);
  });
}

function readChecks(out) {
  const files = readdirSync(out, { recursive: true }).filter((file) => basename(file) === "checks.json");
  return files.flatMap((file) => {
    const checks = JSON.parse(readFileSync(join(out, file), "utf8"));
    return checks.map((check) => ({ scenario: dirname(file).replace(/-\d{4}-\d\d-\d\dT.*$/, ""), ...check }));
  });
}
