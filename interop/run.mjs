// Runs the Python clients of OpenEnv, Eval Protocol, TRL, MCP, gymnasium, verifiers, Inspect AI and Harbor against our
// server, our lunar lander beside gymnasium's, and our apps in the MCP Inspector:
// node interop/run.mjs [suite …]
// Packages are downloaded once from PyPI and npm into .cache/interop. A suite whose download fails is skipped.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "interop");
const bin = process.platform === "win32" ? "Scripts" : "bin";
const fromSource = ["--import", import.meta.resolve("tsx"), "--conditions=biplane-source"];

const gymnasium = ["gymnasium[box2d]==1.4.0", "websockets==16.0"];

const suites = [
  { name: "openenv-core 0.2.3", script: "openenv_clients.py", packages: ["openenv-core==0.2.3"] },
  { name: "openenv 0.3.1", script: "openenv_clients.py", packages: ["openenv==0.3.1"] },
  { name: "openenv 0.4.2", script: "openenv_clients.py", packages: ["openenv==0.4.2"] },
  { name: "openenv 0.10.0", script: "openenv_clients.py", packages: ["openenv==0.10.0"] },
  { name: "eval-protocol 0.3.33", script: "eval_protocol_client.py", packages: ["eval-protocol==0.3.33", "mcp<2"] },
  { name: "trl 1.16.0", script: "trl_trainer.py", packages: ["trl==1.16.0", "openenv==0.10.0"], fetchSeconds: 420 },
  { name: "openreward 0.1.167", alias: "ors", script: "ors.mjs", packages: ["openreward==0.1.167"] },
  {
    name: "trl 1.16.0 with openreward",
    alias: "ors",
    script: "trl-ors.mjs",
    packages: ["trl==1.16.0", "openreward==0.1.167"],
    fetchSeconds: 420,
  },
  {
    name: "nemo-gym 0.7.0",
    script: "nemo-gym.mjs",
    packages: nemoGymNeeds(),
    anyPython: ["nemo-gym==0.7.0"],
    fetchSeconds: 420,
  },
  {
    name: "trl 1.16.0 data",
    home: "trl 1.16.0",
    script: "trl-data.mjs",
    packages: ["trl==1.16.0", "openenv==0.10.0"],
    fetchSeconds: 420,
  },
  { name: "mcp 1.30.0", script: "mcp_clients.py", packages: ["mcp==1.30.0"] },
  { name: "mcp 2.3.0", script: "mcp_clients.py", packages: ["mcp==2.3.0"] },
  { name: "openai-agents 0.24.0", script: "openai_agents_client.py", packages: ["openai-agents==0.24.0"] },
  { name: "openai-agents-js 0.20.0", script: "openai-agents.mjs", npm: ["@openai/agents@0.20.0", "zod@4"] },
  {
    name: "langchain-mcp-adapters 0.3.2",
    script: "langchain_client.py",
    packages: ["langchain-mcp-adapters==0.3.2"],
  },
  { name: "pydantic-ai 2.66.0", script: "pydantic_ai_client.py", packages: ["pydantic-ai-slim[mcp]==2.66.0"] },
  { name: "smolagents 1.26.0", script: "smolagents_client.py", packages: ["smolagents[mcp]==1.26.0", "mcp<2"] },
  { name: "fastmcp 4.1.2", script: "fastmcp_client.py", packages: ["fastmcp==4.1.2"] },
  { name: "ai-sdk-mcp 1.0.101", script: "ai-sdk.mjs", npm: ["@ai-sdk/mcp@1.0.101", "zod@4"] },
  { name: "datasets 5.2.0", script: "datasets.mjs", packages: ["datasets==5.2.0"] },
  { name: "wandb 0.31.0", script: "trackers.mjs", packages: ["wandb==0.31.0"] },
  { name: "mlflow 3.17.2", script: "trackers.mjs", packages: ["mlflow==3.17.2"] },
  { name: "gymnasium 1.4.0", script: "lunar-lander.mjs", packages: gymnasium },
  { name: "gymnasium 1.4.0 env", home: "gymnasium 1.4.0", script: "gymnasium_env.py", packages: gymnasium },
  {
    name: "verifiers 0.4.0",
    script: "verifiers.mjs",
    packages: ["verifiers[openenv]==0.4.0"],
    python: "3.11",
    runSeconds: 480,
  },
  {
    name: "inspect-ai 0.3.285",
    script: "inspect-ai.mjs",
    packages: ["inspect-ai==0.3.285", "mcp==1.30.0"],
    python: "3.11",
  },
  { name: "harbor 0.24.0", script: "harbor.mjs", packages: ["harbor==0.24.0", "mcp==1.30.0"], python: "3.12" },
  replicated("openenv 0.10.0", ["openenv==0.10.0"]),
  replicated("eval-protocol 0.3.33", ["eval-protocol==0.3.33", "mcp<2"]),
  replicated("mcp 2.3.0", ["mcp==2.3.0"]),
  {
    name: "inspector 2.12.0",
    script: "inspector.mjs",
    npm: ["@modelcontextprotocol/inspector@2.12.0", ...newerNode()],
  },
];

/** A suite that plays at three servers while they die. It uses the packages of another suite. */
function replicated(home, packages) {
  return { name: `${home} replicas`, home, script: "replicas.py", packages, needsReplicas: true };
}

const marks = { ok: "ok", fail: "FAIL", skip: "-" };
const { values, positionals: asked } = parseArgs({
  options: { minutes: { type: "string", default: "Infinity" } },
  allowPositionals: true,
});
const chosen = suites.filter(({ name, alias, needsReplicas }) =>
  asked.length === 0 ? !needsReplicas : asked.some((word) => name.includes(word) || word === alias),
);
mkdirSync(cache, { recursive: true });
const began = Date.now();
let uv;
let replicas;
const server = await startServer("server.ts");
const results = [];
const absent = [];
/** Packages are downloaded one after the other, while suites run. */
let download = Promise.resolve();
const downloads = new Map(
  chosen.map((suite) => {
    download = download.then(() => (isLate() ? "the time of --minutes is over" : fetch(suite)));
    return [suite, download];
  }),
);
try {
  for (const suite of chosen) {
    const reason = isLate() ? "the time of --minutes is over" : await downloads.get(suite);
    if (reason) {
      absent.push(`${suite.name}: ${reason}`);
      console.log(`\n${suite.name} was skipped: ${reason}`);
      continue;
    }
    if (suite.needsReplicas) replicas ??= await startServer("replicas.ts");
    if (suite.needsReplicas && replicas.missing) {
      absent.push(`${suite.name}: ${replicas.missing}`);
      continue;
    }
    console.log(`\n${suite.name}`);
    results.push({ ...suite, checks: await runChecks(suite) });
  }
  results.push({ name: "the server", script: "the server afterwards", checks: await checkServer() });
} finally {
  server.child.kill();
  replicas?.child.stdin.end();
}
printTables();
const all = results.flatMap(({ checks }) => checks);
const failed = all.filter(({ result }) => result === "fail");
const seconds = Math.round((Date.now() - began) / 1000);
console.log(
  `\n${all.filter(({ result }) => result === "ok").length} checks passed, ${failed.length} failed, in ${seconds} s`,
);
for (const line of absent) console.log(`skipped: ${line}`);
process.exit(failed.length > 0 ? 1 : 0);

function isLate() {
  return Date.now() - began > Number(values.minutes) * 60_000;
}

/** Uses uv if possible: it installs in seconds what takes pip minutes. */
async function findUv() {
  const tools = join(cache, "tools");
  const path = join(tools, bin, "uv");
  if (existsSync(path)) return path;
  await execute("python3", ["-m", "venv", tools], 60);
  await execute(join(tools, bin, "python"), ["-m", "pip", "install", "--quiet", "uv"], 120);
  return existsSync(path) ? path : undefined;
}

/** Installs a suite's packages. Returns the reason if that fails. */
async function fetch(suite) {
  const { packages, anyPython = [], npm, python, fetchSeconds = 240 } = suite;
  const home = homeOf(suite);
  const note = join(home, "packages.json");
  const wanted = JSON.stringify(npm ?? [...packages, ...anyPython]);
  if (existsSync(note) && readFileSync(note, "utf8") === wanted) return undefined;
  process.stdout.write(`\nFetching ${(npm ?? [...packages, ...anyPython]).join(", ")} …\n`);
  rmSync(home, { recursive: true, force: true });
  const { code, output, isLate } = await (npm
    ? fetchFromNpm(home, npm, fetchSeconds)
    : fetchFromPypi(home, { packages, anyPython, python, seconds: fetchSeconds }));
  if (code === 0) {
    writeFileSync(note, wanted);
    return undefined;
  }
  rmSync(home, { recursive: true, force: true });
  return isLate ? `it took longer than ${fetchSeconds} s` : lastLines(output);
}

/**
 * `least` is the oldest Python that the packages take. `anyPython` is installed last, without what it needs, and even if
 * it asks for a newer Python.
 */
async function fetchFromPypi(home, { packages, anyPython, python: least, seconds }) {
  const found = await findPython(least);
  if (!found) return { code: 1, output: `it needs Python ${least} or newer, which is not on this machine` };
  const python = join(home, bin, "python");
  const made = await execute(found, ["-m", "venv", home], 60);
  if (made.code !== 0) return made;
  uv ??= await findUv();
  const pip = ["-m", "pip", "install", "--quiet"];
  const installed = await (uv
    ? execute(uv, ["pip", "install", "--quiet", "--python", python, ...packages], seconds)
    : execute(python, [...pip, ...packages], seconds));
  if (installed.code !== 0 || anyPython.length === 0) return installed;
  return execute(python, [...pip, "--no-deps", "--ignore-requires-python", ...anyPython], seconds);
}

/** The usual Python, or a newer one if that is too old. */
async function findPython(least = "3.10") {
  const isEnough = `import sys; sys.exit(sys.version_info < (${least.replace(".", ", ")}))`;
  for (const name of ["python3", "python3.11", "python3.12", "python3.13"])
    if ((await execute(name, ["-c", isEnough], 20)).code === 0) return name;
  return undefined;
}

function fetchFromNpm(home, packages, seconds) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), "{}");
  const words = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  return execute("npm", [...words, "--prefix", home, ...packages], seconds);
}

/** What NeMo Gym's servers and its session check import. It asks for Python 3.13.14, and these parts run with 3.11. */
function nemoGymNeeds() {
  const web = ["fastapi", "uvicorn", "httptools", "uvloop", "httpx", "aiohttp>=3.14.4", "itsdangerous", "requests"];
  const data = ["pydantic", "orjson", "pandas", "scipy", "hydra-core", "omegaconf", "rich", "tqdm", "wandb"];
  return [
    ...web,
    ...data,
    "openai==2.44.0",
    "anyio>=4.15.1",
    "mcp<2,>=1.28.1",
    "ray>=2.58.0",
    "devtools",
    "yappi",
    "pydot",
  ];
}

/** The Inspector needs Node 22.19. If this one is older, uses the one from npm. */
function newerNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return [];
  return [`node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@24`];
}

/** Suites with the same packages share a home. */
function homeOf({ name, home = name }) {
  return join(cache, home.replaceAll(" ", "-"));
}

/** Runs a suite's script. Each line on standard output is a check; other output goes to a log file. */
function runChecks(suite) {
  const { name, script, runSeconds = 300, needsReplicas = false } = suite;
  const home = homeOf(suite);
  const log = join(cache, `${name.replaceAll(" ", "-")}.log`);
  const env = {
    ...process.env,
    HOME: cache, // what the packages leave behind stays here
    HF_HUB_OFFLINE: "1",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    NO_PROXY: "127.0.0.1",
    PYTHONDONTWRITEBYTECODE: "1",
    TOKENIZERS_PARALLELISM: "false",
    TRL_EXPERIMENTAL_SILENCE: "1",
  };
  const [command, ...words] = script.endsWith(".mjs")
    ? [process.execPath, ...fromSource, join(root, "interop", script), server.url, home]
    : [
        join(home, bin, "python"),
        join(root, "interop", "python", script),
        ...(needsReplicas ? [replicas.url, server.url] : [server.url]),
      ];
  const child = spawn(command, words, { cwd: cache, env, stdio: ["ignore", "pipe", "pipe"] });
  const checks = [];
  const output = [];
  child.stderr.on("data", (data) => output.push(String(data)));
  createInterface(child.stdout).on("line", (line) => {
    const check = readCheck(line);
    if (!check) return void output.push(`${line}\n`);
    checks.push(check);
    console.log(`  ${marks[check.result]} ${check.check}${check.note ? ` (${check.note})` : ""}`);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), runSeconds * 1000);
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(timer);
      writeFileSync(log, output.join(""));
      if (code !== 0) {
        checks.push({ check: "The script runs to completion", result: "fail", note: `exit code ${code}; see ${log}` });
        console.log(`  FAIL the script exited with ${code}: ${lastLines(output.join(""))}; see ${log}`);
      }
      resolve(checks);
    });
  });
}

function readCheck(line) {
  if (!line.startsWith('{"check"')) return undefined;
  return JSON.parse(line);
}

/** Checks after all suites that the server is up and no episode or session is left. */
async function checkServer() {
  const check = async (title, work) => {
    const note = await work().catch((error) => String(error));
    const result = note === undefined ? "ok" : "fail";
    return { check: title, result, note };
  };
  const checks = [
    await check("The server is up", async () => {
      const response = await globalThis.fetch(`${server.url}/health`);
      return response.ok ? undefined : `it answers ${response.status}`;
    }),
    await check("No episode is left behind", async () => {
      const left = [];
      for (const name of server.names) {
        const response = await globalThis.fetch(`${server.url}/env/${name}/control/episodes`);
        const { episodes } = await response.json();
        if (episodes.length > 0) left.push(`${name}: ${episodes.length}`);
      }
      return left.length > 0 ? left.join(", ") : undefined;
    }),
    await check(
      "The server wrote nothing to standard error",
      async () => server.errors.join("").slice(0, 300) || undefined,
    ),
  ];
  console.log("\nthe server afterwards");
  for (const { check, result, note } of checks) console.log(`  ${marks[result]} ${check}${note ? ` (${note})` : ""}`);
  return checks;
}

/** Prints a table per script: a row per check, a column per version. */
function printTables() {
  for (const script of new Set(results.map((each) => each.script))) {
    const columns = results.filter((each) => each.script === script);
    const titles = [...new Set(columns.flatMap(({ checks }) => checks.map(({ check }) => check)))];
    const width = Math.max(...titles.map((title) => title.length));
    console.log(`\n${"".padEnd(width)}  ${columns.map(({ name }) => name).join("  ")}`);
    for (const title of titles) {
      const cells = columns.map(({ name, checks }) => {
        const found = checks.find(({ check }) => check === title);
        return (found ? marks[found.result] : "").padEnd(name.length);
      });
      console.log(`${title.padEnd(width)}  ${cells.join("  ").trimEnd()}`);
    }
  }
  for (const { name, checks } of results) {
    for (const { check, result, note } of checks)
      if (result === "fail") console.log(`\nFAIL ${name}: ${check}\n  ${note}`);
  }
}

function startServer(file) {
  const words = [...fromSource, join(root, "interop", file)];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
  const errors = [];
  child.stderr.on("data", (data) => {
    errors.push(String(data));
    process.stderr.write(data);
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface(child.stdout).once("line", (line) => resolve({ ...JSON.parse(line), child, errors }));
  });
}

function execute(command, words, seconds) {
  return new Promise((resolve) => {
    const output = [];
    let isLate = false;
    const env = { ...process.env, UV_CACHE_DIR: join(cache, "uv"), PIP_DISABLE_PIP_VERSION_CHECK: "1" };
    const child = spawn("nice", [command, ...words], { cwd: cache, env, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => {
      isLate = true;
      child.kill();
    }, seconds * 1000);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(String(data)));
    child.once("error", (error) => output.push(String(error)));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: output.join(""), isLate });
    });
  });
}

/** The end of a program's output, which has the reason for a failure. */
function lastLines(text) {
  const lines = text.trim().split("\n").slice(-3);
  return lines
    .map((line) => line.trim())
    .join("; ")
    .slice(-300);
}
