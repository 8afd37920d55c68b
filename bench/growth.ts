/**
 * How costs grow: from few to very many tools, rules, secrets, mounts, idle sockets, event streams, audit lines and traces.
 * The exponent is that of the size: 0 is a constant cost, 1 a cost in proportion to the size. None may be above.
 *
 *   npm run bench:growth              the data is written to a temporary folder
 *   npm run bench:growth -- --quick   smaller sizes
 *   npm run bench:growth -- audit     only the parts that are named
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { measureMounts, measureRules, measureSecrets, measureTools } from "./growth/calls.ts";
import { measureSockets, measureStreams } from "./growth/connections.ts";
import { Growth } from "./growth/growth.ts";
import { measureAudit, measureTraces } from "./growth/stored.ts";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 3 : 5;
const growth = new Growth();
const parts: Readonly<Record<string, () => Promise<void>>> = {
  tools: () => measureTools(growth, { sizes: tens(10, isQuick ? 1000 : 10_000), rounds }),
  rules: () => measureRules(growth, { sizes: tens(10, 1000), rounds }),
  secrets: () => measureSecrets(growth, { sizes: tens(10, 1000), rounds }),
  mounts: () => measureMounts(growth, { sizes: tens(1, 100), rounds }),
  sockets: () => measureSockets(growth, tens(100, isQuick ? 1000 : 10_000)),
  streams: () => measureStreams(growth, isQuick ? [100, 1000] : [100, 1000, 5000]),
  audit: () => withStore((store) => measureAudit(growth, store, tens(10_000, isQuick ? 100_000 : 1_000_000))),
  traces: () => withStore((store) => measureTraces(growth, store, tens(1000, isQuick ? 10_000 : 100_000))),
};
const chosen = process.argv.slice(2).filter((word) => !word.startsWith("--"));
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`Measuring ${name} …\n`);
  await measure();
}
const { ratios, bounds, missed } = growth.report();
for (const name of missed) process.stdout.write(`Missed: ${name} grows with the exponent ${ratios[name]}\n`);
process.stdout.write(`${JSON.stringify({ bench: "growth", ratios, bounds })}\n`);
if (missed.length > 0) process.exitCode = 1;

/** Sizes from `first` to `last`, each ten times the one before. */
function tens(first: number, last: number): number[] {
  return first > last ? [] : [first, ...tens(first * 10, last)];
}

async function withStore(work: (store: SqlStore) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "biplane-bench-growth-"));
  try {
    await using store = await openStore(join(folder, "store.db"));
    await work(store);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
