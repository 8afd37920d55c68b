// The admin page in Chromium with a million stored rollouts, ten million stored calls and 1,000 live calls per second:
// npm run bench:page      BENCH_ROLLOUTS and BENCH_CALLS set the amount. BENCH_STORE names a file that is kept and used
// again; with --fill nothing but that file is written.
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "biplane/store";
import { figuresOf } from "../packages/biplane/src/store/runs/run-figures.ts";
import { findRun } from "../packages/biplane/src/store/runs/run.ts";
import { launchChromium } from "../test/support/chromium.ts";
import { measureLive } from "./page/live.ts";
import { writeManyCalls } from "./page/many-calls.ts";
import { writeManyTraces } from "./page/many-traces.ts";
import { measureCalls } from "./page/stored-calls.ts";
import { measureFirst, measureRun } from "./page/stored.ts";
import { Table } from "./page/table.ts";
import { fillRun } from "./store/many-rollouts.ts";

const isQuick = process.argv.includes("--quick");
const rollouts = Number(process.env["BENCH_ROLLOUTS"] ?? (isQuick ? 20_000 : 1_000_000));
const calls = Number(process.env["BENCH_CALLS"] ?? (isQuick ? 100_000 : 10_000_000));
/** Only the first rollouts have traces: more would take many gigabytes, and one is opened at a time. */
const traces = 2000;
const rounds = isQuick ? 3 : 7;
const run = "many";
const table = new Table();
const folder = await mkdtemp(join(tmpdir(), "biplane-bench-page-"));
const file = process.env["BENCH_STORE"] ?? join(folder, "runs.db");
if (!existsSync(file)) await fill(file);
if (process.argv.includes("--fill")) process.exit();
const browser = await launchChromium();
try {
  const options = { browser, file, run, rounds, table };
  await section("first content, of a server that has just been started", () => measureFirst(options));
  await section(`a run of ${rollouts} rollouts`, () => measureRun(options));
  await section(`${calls} stored calls`, () => measureCalls(options));
  await section("with calls going through the server all the time", () =>
    measureLive({ ...options, perSecond: 1000, seconds: isQuick ? 15 : 60 }),
  );
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
const { ratios, bounds, isKept } = table.verdict();
console.log(JSON.stringify({ bench: "page", ratios, bounds }));
process.exit(isKept ? 0 : 1);

async function fill(target: string): Promise<void> {
  const since = performance.now();
  const draft = `${target}.new`;
  await rm(draft, { force: true });
  const store = await openStore(draft);
  await writeManyTraces(store, { run, count: traces });
  await fillRun(store, { id: run, from: traces, count: rollouts });
  await figuresOf(store, await findRun(store, run)); // as at the end of every run
  await writeManyCalls(store, calls);
  await store.close();
  await rename(draft, target);
  console.log(
    `${rollouts} rollouts and ${calls} calls written in ${((performance.now() - since) / 1000).toFixed(0)} s`,
  );
}

/** Other load on the machine affects every measurement, so it is printed. */
async function section(title: string, measure: () => Promise<void>): Promise<void> {
  const before = [loadavg()[0] ?? 0, slowdown()] as const;
  await measure();
  const loads = `load ${before[0].toFixed(1)} to ${(loadavg()[0] ?? 0).toFixed(1)}`;
  table.print(`${title} (${loads}; others make it ${Math.max(before[1], slowdown()).toFixed(1)} times slower)`);
}

/** Ratio of wall-clock time to CPU time for a fixed piece of work. */
function slowdown(): number {
  const [startedAt, used] = [performance.now(), process.cpuUsage()];
  while (process.cpuUsage(used).user < 200_000);
  const { user, system } = process.cpuUsage(used);
  return (performance.now() - startedAt) / ((user + system) / 1000);
}
