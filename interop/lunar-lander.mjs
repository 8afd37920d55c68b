// Plays our lunar lander beside a live gymnasium, and compares every bit: lunar-lander.mjs URL HOME [SEEDS [STEPS]]
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createRandom } from "../packages/core/src/environment/random/random.ts";
import { fly, readState, startFlight } from "../packages/gallery/src/lunar-lander/lander.ts";

const [, home, seeds = "200", steps = "1000"] = process.argv.slice(2);
const script = fileURLToPath(new URL("python/lunar_lander.py", import.meta.url));
const bin = process.platform === "win32" ? "Scripts" : "bin";
const child = spawn(join(home, bin, "python"), [script, seeds, steps], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.once("close", resolve));

const different = [];
let count = 0;
let [theirs, ours] = [0, 0];
for await (const line of createInterface(child.stdout)) {
  const golden = JSON.parse(line);
  const { digest, seconds } = play(golden);
  if (digest !== golden.digest) different.push(golden.seed);
  count += golden.actions.length;
  theirs += golden.seconds;
  ours += seconds;
}
const code = await ended;
const expected = Number(seeds) * Number(steps);
const rate = (total) => Math.round(count / total).toLocaleString("en");
const isEqual = code === 0 && different.length === 0 && count === expected;
const note = isEqual
  ? `${count.toLocaleString("en")} steps of ${seeds} seeds; steps per CPU second: ours ${rate(ours)}, gymnasium ${rate(theirs)}`
  : `${count} of ${expected} steps were played, exit code ${code}; different seeds: ${different.join(", ") || "none"}`;
const check = "Lunar lander has the bits of a live gymnasium";
const cpuSeconds = { ours, gymnasium: theirs };
console.log(JSON.stringify({ check, result: isEqual ? "ok" : "fail", note, steps: count, cpuSeconds }));

function play({ seed, config, actions }) {
  const random = createRandom(seed);
  const digest = createHash("sha256");
  const wind = config.enable_wind && { power: config.wind_power ?? 15, turbulence: config.turbulence_power ?? 1.5 };
  let microseconds = 0;
  let flight;
  let step = 0;
  const start = () => {
    flight = startFlight({ gravity: config.gravity ?? -10, wind: wind || undefined }, random);
    step = 0;
    digest.update(observation(flight));
  };
  start();
  for (const action of actions) {
    const thrust = thrustOf(action);
    const before = process.cpuUsage();
    fly(flight, thrust, random);
    const { user, system } = process.cpuUsage(before);
    microseconds += user + system;
    const terminated = flight.hasLanded || flight.hasFailed;
    const truncated = ++step >= 1000;
    digest.update(observation(flight));
    digest.update(outcome(flight.reward, terminated, truncated));
    if (terminated || truncated) start();
  }
  return { digest: digest.digest("hex"), seconds: microseconds / 1e6 };
}

function observation(flight) {
  const bytes = Buffer.alloc(32);
  for (const [index, number] of readState(flight).entries()) bytes.writeFloatBE(number, index * 4);
  return bytes;
}

function outcome(reward, terminated, truncated) {
  const bytes = Buffer.alloc(10);
  bytes.writeDoubleBE(reward);
  bytes[8] = Number(terminated);
  bytes[9] = Number(truncated);
  return bytes;
}

function thrustOf(action) {
  if (typeof action === "number") return { main: Number(action === 2), side: action % 2 === 1 ? action - 2 : 0 };
  const bytes = Buffer.from(action, "hex");
  const [main, side] = [0, 4].map((at) => Math.max(-1, Math.min(bytes.readFloatBE(at), 1)));
  return { main: main > 0 ? (main + 1) * 0.5 : 0, side: Math.abs(side) > 0.5 ? side : 0 };
}
