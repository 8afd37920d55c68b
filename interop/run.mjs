// Runs the Python clients of OpenEnv, Eval Protocol, TRL, MCP, gymnasium, verifiers, Inspect AI and Harbor against our
// server, our lunar lander beside gymnasium's, and our apps in the MCP Inspector:
// node interop/run.mjs [--lanes N] [--python 3.12] [--minutes N] [suite …]
// Packages are downloaded once from PyPI and npm into .cache/interop. A suite whose download fails is skipped.
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Lane } from "./lane.mjs";
import { cache, install } from "./packages.mjs";
import { printChecks, printTables } from "./tables.mjs";
import { suites } from "./suites.mjs";

const { values, positionals: asked } = parseArgs({
  options: {
    lanes: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
    python: { type: "string" },
    help: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(`npm run interop -- [options] [suite …]

Runs other projects' clients against our server. A word chooses the suites whose names contain it, or all with that
short name; without words, all run except those of several servers ("replicas").

  --python VERSION  Use this version of Python, such as 3.12 (default: python3).
  --lanes N         Run N suites at the same time (default: the number of processors).
  --minutes N       Start no suite after this time, and skip the rest.

Suites: ${suites.map(({ name }) => name).join(", ")}`);
  process.exit();
}
const chosen = suites.filter(({ name, alias, needsReplicas }) =>
  asked.length === 0 ? !needsReplicas : asked.some((word) => name.includes(word) || word === alias),
);
// Servers that die need the machine for themselves.
const laneCount = chosen.some(({ needsReplicas }) => needsReplicas)
  ? 1
  : Number(values.lanes ?? availableParallelism());
mkdirSync(cache, { recursive: true });
const began = Date.now();
const tooLate = "the time of --minutes is over";
const results = [];
const absent = [];
/** Packages are downloaded one after the other, while suites run. */
let download = Promise.resolve();
const waiting = chosen.map((suite) => {
  download = download.then(() => (isLate() ? { reason: tooLate } : install(suite, values.python)));
  return { suite, installed: download };
});
const count = Math.min(laneCount, waiting.length);
await Promise.all(Array.from({ length: count }, (_, number) => runLane(number)));
if (count > 1) await runAgain();
results.sort((one, other) => chosen.indexOf(one.suite) - chosen.indexOf(other.suite));
printTables(results);
const all = results.flatMap(({ checks }) => checks);
const failed = all.filter(({ result }) => result === "fail");
const passed = all.filter(({ result }) => result === "ok");
console.log(`\n${passed.length} checks passed, ${failed.length} failed, in ${secondsSince(began)} s`);
for (const line of absent) console.log(`skipped: ${line}`);
process.exit(failed.length > 0 ? 1 : 0);

/** A lane takes one suite after the other. Its server is its own, so that suites do not see each other's episodes. */
async function runLane(number) {
  let lane = await Lane.start();
  try {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (await runSuite(lane, next)) continue;
      lane.close(); // A client that failed may have left episodes behind.
      lane = await Lane.start();
    }
    const checks = await lane.checkServer();
    printChecks("the server afterwards", checks);
    results.push({ name: `server ${number + 1}`, script: "the server afterwards", checks });
  } finally {
    lane.close();
  }
}

/** Returns false if a check failed. */
async function runSuite(lane, { suite, installed }) {
  const { home, reason = isLate() ? tooLate : await lane.prepare(suite) } = await installed;
  if (!reason) {
    const result = await checksOf(lane, suite, home);
    results.push(result);
    return !hasFailed(result);
  }
  absent.push(`${suite.name}: ${reason}`);
  console.log(`\n${suite.name} was skipped: ${reason}`);
  return true;
}

async function checksOf(lane, suite, home) {
  const start = Date.now();
  const checks = await lane.run(suite, home);
  printChecks(`${suite.name} (${secondsSince(start)} s)`, checks);
  return { suite, home, name: suite.name, script: suite.script, checks };
}

/** Clients have time limits of their own, which they can miss beside another suite. Up to two suites get a second run, alone. */
async function runAgain() {
  const failed = results.filter((each) => each.suite && hasFailed(each));
  if (failed.length > 2) return;
  for (const each of failed) {
    console.log(`\nagain, alone: ${each.name}`);
    const lane = await Lane.start();
    results[results.indexOf(each)] = await checksOf(lane, each.suite, each.home);
    lane.close();
  }
}

function hasFailed({ checks }) {
  return checks.some(({ result }) => result === "fail");
}

function isLate() {
  return Date.now() - began > Number(values.minutes) * 60_000;
}

function secondsSince(start) {
  return Math.round((Date.now() - start) / 1000);
}
