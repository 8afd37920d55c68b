// One of the lanes that run suites side by side: a server of its own, and the suite that uses it.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bin, cache, lastLines } from "./packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const fromSource = ["--import", import.meta.resolve("tsx"), "--conditions=biplane-source"];

export class Lane {
  #server;
  #replicas;

  static async start() {
    const lane = new Lane();
    lane.#server = await startServer("server.ts");
    return lane;
  }

  /** Starts what else a suite needs. Returns the reason if that is missing. */
  async prepare({ needsReplicas = false }) {
    if (!needsReplicas) return undefined;
    this.#replicas ??= await startServer("replicas.ts");
    return this.#replicas.missing;
  }

  /** Runs a suite's script. Each line on standard output is a check; other output goes to a log file. */
  run({ name, script, runSeconds = 300, needsReplicas = false }, home) {
    const log = join(cache, `${name.replaceAll(" ", "-")}.log`);
    const { url } = this.#server;
    const [command, ...words] = script.endsWith(".mjs")
      ? [process.execPath, ...fromSource, join(root, "interop", script), url, home]
      : [
          join(home, bin, "python"),
          join(root, "interop", "python", script),
          ...(needsReplicas ? [this.#replicas.url, url] : [url]),
        ];
    const child = spawn(command, words, { cwd: cache, env: variables(), stdio: ["ignore", "pipe", "pipe"] });
    const checks = [];
    const output = [];
    child.stderr.on("data", (data) => output.push(String(data)));
    createInterface(child.stdout).on("line", (line) => {
      if (line.startsWith('{"check"')) checks.push(JSON.parse(line));
      else output.push(`${line}\n`);
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), runSeconds * 1000);
    return new Promise((resolve) => {
      child.once("close", (code) => {
        clearTimeout(timer);
        writeFileSync(log, output.join(""));
        if (code !== 0) {
          const note = `exit code ${code}: ${lastLines(output.join(""))}; see ${log}`;
          checks.push({ check: "The script runs to completion", result: "fail", note });
        }
        resolve(checks);
      });
    });
  }

  /** Checks after all suites that the server is up and no episode or session is left. */
  async checkServer() {
    const { url, names, errors } = this.#server;
    return [
      await check("The server is up", async () => {
        const response = await fetch(`${url}/health`);
        return response.ok ? undefined : `it answers ${response.status}`;
      }),
      await check("No episode is left behind", async () => {
        const left = [];
        for (const name of names) {
          const { episodes } = await (await fetch(`${url}/env/${name}/control/episodes`)).json();
          if (episodes.length > 0) left.push(`${name}: ${episodes.length}`);
        }
        return left.length > 0 ? left.join(", ") : undefined;
      }),
      await check("The server wrote nothing to standard error", () => errors.join("").slice(0, 300) || undefined),
    ];
  }

  close() {
    this.#server.child.kill();
    this.#replicas?.child.stdin.end();
  }
}

async function check(title, work) {
  let note;
  try {
    note = await work();
  } catch (error) {
    note = String(error);
  }
  return { check: title, result: note === undefined ? "ok" : "fail", note };
}

/** The variables of a suite. What the packages leave behind stays in the cache, also what Python compiles. */
function variables() {
  return {
    ...process.env,
    HOME: cache,
    HF_HUB_OFFLINE: "1",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    NO_PROXY: "127.0.0.1",
    PYTHONPYCACHEPREFIX: join(cache, "pycache"),
    TOKENIZERS_PARALLELISM: "false",
    TRL_EXPERIMENTAL_SILENCE: "1",
  };
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
