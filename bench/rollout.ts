// Our rollout engine compared with Eval Protocol's own from PyPI, on the same server, without a model: npm run bench:rollout
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { frozenLake } from "../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../packages/biplane/src/rollout/agent/scripted.ts";
import { make } from "../packages/biplane/src/rollout/make.ts";
import type { EnvironmentTarget } from "biplane/client";
import { rollout } from "../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../packages/biplane/src/rollout/row.ts";
import { playOurs } from "./rollout/engine.ts";
import type { Load, Speed } from "./rollout/engine.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const isQuick = process.argv.includes("--quick");
const version = "0.3.33";
const venv = findVenv();
const ratios: Record<string, number> = {};
const bounds: Record<string, string> = {};

const steps = 50;
const lake = frozenLake();
const server = await startServer();
const ours: Record<string, { target: EnvironmentTarget; rows: number }> = {
  "in process": { target: lake, rows: isQuick ? 100 : 400 },
  "over MCP and the control plane": { target: `${server.url}/mcp`, rows: isQuick ? 16 : 64 },
  "over /ws": { target: server.url, rows: isQuick ? 16 : 64 },
};
const rates: Record<string, number> = {};
for (const [name, { target, rows }] of Object.entries(ours)) {
  await playOurs(target, { rows: 16, steps, atOnce: 16 }); // warms up the JIT
  const speed = await playOurs(target, { rows, steps, atOnce: 16 });
  rates[name] = speed.steps / speed.seconds;
  tell(`ours, ${name}`, speed);
}
if (venv) {
  const theirs = await playTheirs({ rows: isQuick ? 4 : 16, steps, atOnce: 16 });
  tell(`Eval Protocol ${version}, over MCP and the control plane`, theirs);
  const rate = theirs.steps / theirs.seconds;
  ratios["in_process_vs_eval_protocol"] = round((rates["in process"] ?? 0) / rate);
  ratios["wire_vs_eval_protocol"] = round((rates["over MCP and the control plane"] ?? 0) / rate);
  Object.assign(bounds, { in_process_vs_eval_protocol: ">=20", wire_vs_eval_protocol: ">=20" });
}
const count = isQuick ? 200 : 1000;
for (const [key, target] of [
  ["in_process_mb", lake],
  ["wire_mb", `${server.url}/mcp`],
] as const) {
  const megabytes = await atOnce(target, count);
  console.log(
    `${count} rollouts at once, ${key === "wire_mb" ? "over MCP and the control plane" : "in process"}: ${megabytes.toFixed(0)} MB`,
  );
  ratios[key] = round(megabytes);
  bounds[key] = "<=1000";
}
server.child.kill();
await lake.close();
console.log(JSON.stringify({ bench: "rollout", ratios, bounds }));
process.exit(Object.entries(bounds).some(([key, bound]) => !holds(ratios[key] ?? Number.NaN, bound)) ? 1 : 0);

/** Memory of this process when all rollouts have made ten steps and none has ended. */
async function atOnce(target: EnvironmentTarget, rollouts: number): Promise<number> {
  let arrived = 0;
  let megabytes = 0;
  let open: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const agent = scriptedAgent(async ({ step }) => {
    if (step < 10) return { tool: "lake_move", input: { action: "LEFT" } };
    if (++arrived === rollouts) {
      megabytes = process.memoryUsage.rss() / 2 ** 20;
      open();
    }
    await gate;
    return undefined;
  });
  await using envs = await make(target, { rows: seedRows(Array.from({ length: rollouts }, (_, at) => at)) });
  for await (const { trace } of rollout(envs, { agent, concurrency: rollouts, env: {} }))
    if (trace.ending.reason !== "stop")
      throw new Error(`a rollout ended by ${trace.ending.reason}: ${trace.ending.message}`);
  return megabytes;
}

async function playTheirs(load: Load): Promise<Speed> {
  const words = [
    join(root, "bench/rollout/eval_protocol_engine.py"),
    `${server.url}/mcp`,
    ...[load.rows, load.steps, load.atOnce].map(String),
  ];
  const env = {
    ...process.env,
    HOME: join(root, ".cache"),
    NO_PROXY: "127.0.0.1",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  const options = { env, cwd: join(root, ".cache"), maxBuffer: 2 ** 28 };
  const { stdout } = await promisify(execFile)(join(venv as string, "bin", "python"), words, options);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Speed;
}

/** The Python environment of the interop suite if it exists, else a new one. */
function findVenv(): string | undefined {
  const shared = join(root, ".cache", "interop", `eval-protocol-${version}`);
  if (existsSync(join(shared, "packages.json"))) return shared;
  const own = join(root, ".cache", `bench-eval-protocol-${version}`);
  if (existsSync(join(own, "ready"))) return own;
  try {
    execFileSync("python3", ["-m", "venv", own], { stdio: "inherit" });
    execFileSync(
      join(own, "bin", "python"),
      ["-m", "pip", "install", "--quiet", `eval-protocol==${version}`, "mcp<2"],
      { stdio: "inherit" },
    );
    writeFileSync(join(own, "ready"), "");
    return own;
  } catch {
    console.log("Eval Protocol could not be fetched from PyPI; only ours is measured");
    return undefined;
  }
}

async function startServer(): Promise<{ url: string; child: ChildProcess }> {
  const words = [
    "--import",
    "tsx",
    "--conditions=biplane-source",
    join(root, "bench/env/biplane-server.mjs"),
    "frozen-lake",
  ];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { url, child };
}

function tell(name: string, { steps: taken, seconds, cpu }: Speed): void {
  console.log(`${name}: ${(taken / seconds).toFixed(0)} steps/s, ${((cpu / taken) * 1e6).toFixed(0)} µs CPU a step`);
}

function holds(value: number, bound: string): boolean {
  return bound.startsWith(">=") ? value >= Number(bound.slice(2)) : value <= Number(bound.slice(2));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
