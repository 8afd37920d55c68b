// Installs the packages of suites into .cache/interop. A folder is named by a hash of what is in it, and is made once.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const cache = fileURLToPath(new URL("../.cache/interop", import.meta.url));
export const bin = process.platform === "win32" ? "Scripts" : "bin";

/** Installs a suite's packages. Returns `{ home }`, or `{ reason }` if that fails. */
export async function install(suite, pythonVersion) {
  const { packages, anyPython = [], npm, python: least = "3.10", fetchSeconds = 240 } = suite;
  const python = npm ? undefined : await findPython(pythonVersion ?? least, pythonVersion !== undefined);
  if (python === undefined && !npm)
    return { reason: `it needs Python ${pythonVersion ?? `${least} or newer`}, which is not on this machine` };
  if (pythonVersion !== undefined && python && isOlder(python.version, least))
    return { reason: `it needs Python ${least} or newer` };
  const wanted = npm ?? [...anyPython, ...packages];
  const home = homeOf(wanted, npm ? `node${process.versions.modules}` : `python${python.version}`);
  const done = join(home, "installed.json");
  if (existsSync(done)) return { home };
  process.stdout.write(`\nFetching ${wanted.join(", ")} …\n`);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  const { code, output, isLate } = await (npm
    ? fetchFromNpm(home, npm, fetchSeconds)
    : fetchFromPypi(home, { packages, anyPython, python: python.path, seconds: fetchSeconds }));
  if (code === 0) {
    writeFileSync(done, JSON.stringify(wanted));
    return { home };
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  return { reason: isLate ? `it took longer than ${fetchSeconds} s` : lastLines(output) };
}

/** The end of a program's output, which has the reason for a failure. */
export function lastLines(text) {
  const lines = text.trim().split("\n").slice(-3);
  return lines
    .map((line) => line.trim())
    .join("; ")
    .slice(-300);
}

function homeOf(wanted, runtime) {
  const hash = createHash("sha256")
    .update(JSON.stringify([runtime, wanted]))
    .digest("hex")
    .slice(0, 8);
  const [, name] = /^@?([\w./-]+)/.exec(wanted[0]);
  return join(cache, `${name.replaceAll("/", "-")}-${runtime}-${hash}`);
}

/** The usual Python, or a newer one if that is too old; with `isExact` only the one of that version. */
async function findPython(version, isExact) {
  const names = isExact ? [`python${version}`, "python3"] : ["python3", "python3.11", "python3.12", "python3.13"];
  for (const command of names) {
    const words = ["-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"];
    const { code, output } = await execute(command, words, 60);
    const [found, path] = output.trim().split(" ");
    if (code === 0 && (isExact ? found === version : !isOlder(found, version))) return { path, version: found };
  }
  return undefined;
}

function isOlder(version, than) {
  const [[major, minor], [otherMajor, otherMinor]] = [version, than].map((each) => each.split(".").map(Number));
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}

/** `anyPython` is installed last, without what it needs, and even if it asks for a newer Python. */
async function fetchFromPypi(home, { packages, anyPython, python: found, seconds }) {
  const python = join(home, bin, "python");
  const uv = await findUv();
  const made = await (uv
    ? execute(uv, ["venv", "--quiet", "--seed", "--python", found, home], 120)
    : execute(found, ["-m", "venv", home], 120));
  if (made.code !== 0) return made;
  const pip = ["-m", "pip", "install", "--quiet"];
  const installed = await (uv
    ? execute(uv, ["pip", "install", "--quiet", "--python", python, ...packages], seconds)
    : execute(python, [...pip, ...packages], seconds));
  if (installed.code !== 0 || anyPython.length === 0) return installed;
  return execute(python, [...pip, "--no-deps", "--ignore-requires-python", ...anyPython], seconds);
}

/** Uses uv if possible: it makes and installs in seconds what takes Python's own tools minutes. */
async function findUv() {
  const tools = join(cache, "tools");
  const path = join(tools, bin, "uv");
  if (existsSync(path)) return path;
  await execute("python3", ["-m", "venv", tools], 60);
  await execute(join(tools, bin, "python"), ["-m", "pip", "install", "--quiet", "uv"], 120);
  return existsSync(path) ? path : undefined;
}

function fetchFromNpm(home, packages, seconds) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), "{}");
  const words = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  return execute("npm", [...words, "--prefix", home, ...packages], seconds);
}

function execute(command, words, seconds) {
  return new Promise((resolve) => {
    const output = [];
    let isLate = false;
    const env = { ...process.env, UV_CACHE_DIR: join(cache, "uv"), PIP_DISABLE_PIP_VERSION_CHECK: "1" };
    const stdio = ["ignore", "pipe", "pipe"];
    const child = spawn("nice", [command, ...words], { cwd: cache, env, stdio, detached: true });
    const timer = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid); // with what it has started
    }, seconds * 1000);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(String(data)));
    child.once("error", (error) => output.push(String(error)));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: output.join(""), isLate });
    });
  });
}
