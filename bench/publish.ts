/** Measures everything that docs/benchmarks.md shows, and writes that page: npm run bench:publish -- --help */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureDurable } from "./publish/durable.ts";
import type { Amount } from "./publish/figures.ts";
import { measureLadder } from "./publish/ladder.ts";
import { measureLander } from "./publish/lander.ts";
import { measureLatency } from "./publish/latency.ts";
import { measureLists } from "./publish/lists.ts";
import { noteRun, thisMachine } from "./publish/machine.ts";
import { measureMemory } from "./publish/memory.ts";
import { benchmarkPage } from "./publish/page.ts";
import { peerVersions } from "./publish/peer-versions.ts";
import { measurePeers } from "./publish/peers.ts";
import { measureRecovery } from "./publish/recovery.ts";
import { mergeParts, pageFile, readResults, writeResults } from "./publish/results.ts";
import type { PartBodies, PartName } from "./publish/results.ts";
import { measureSteps } from "./publish/steps.ts";
import { verdictOf } from "./publish/verdict.ts";

const parts: { readonly [Name in PartName]: (amount: Amount) => Promise<PartBodies[Name]> } = {
  ladder: measureLadder,
  lists: measureLists,
  peers: measurePeers,
  latency: measureLatency,
  memory: measureMemory,
  steps: measureSteps,
  lander: measureLander,
  durable: measureDurable,
  recovery: measureRecovery,
};
const names = Object.keys(parts) as PartName[];

const help = `npm run bench:publish -- [options]

Measures Biplane beside other servers, and writes bench/results/latest.json and docs/benchmarks.md.

  --only PARTS   Comma-separated parts to measure. The others are kept. (default: all)
                 ${names.join(", ")}
  --quick        Fewer requests and rounds, in about 10 minutes. The page says so.
  --page         Write the page again from the file, without measuring.
  --help         Show this text.

All parts take about 35 minutes, and longer the first time, when peers are installed and built. Use a machine on which
nothing else runs. Peers in Go and Rust need \`go\` and \`cargo\`, those in Python \`python3\`; a peer that cannot be
installed or built is listed as absent.
`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: names.join(",") },
    quick: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(help);
else if (values.page) writePage();
else await measure(chosenParts(values.only));

function chosenParts(only: string): PartName[] {
  const unknown = only.split(",").filter((word) => !names.some((name) => name === word));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(", ")}. The parts are ${names.join(", ")}.`);
  return names.filter((name) => only.split(",").includes(name));
}

/** A part that fails keeps its former figures, and the others are measured all the same. */
async function measure(chosen: readonly PartName[]): Promise<void> {
  if (!existsSync(join(import.meta.dirname, "../packages/biplane/dist/index.js")))
    throw new Error("dist/ is missing: npm run build");
  for (const name of chosen) {
    process.stderr.write(`\nMeasuring ${name} …\n`);
    try {
      await measurePart(name);
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  writePage();
  const { ratios, bounds, missed } = verdictOf(readResults() ?? noResults());
  for (const name of missed) process.stdout.write(`Missed: ${name} is ${ratios[name]}\n`);
  process.stdout.write(`${JSON.stringify({ bench: "publish", ratios, bounds })}\n`);
  if (missed.length > 0) process.exitCode = 1;
}

async function measurePart(name: PartName): Promise<void> {
  const work: (amount: Amount) => Promise<PartBodies[PartName]> = parts[name];
  const measured = await noteRun(values.quick, () => work({ isQuick: values.quick }));
  const now = { machine: thisMachine(), peers: peerVersions(), parts: { [name]: measured } };
  writeResults(mergeParts(readResults(), now));
}

function writePage(): void {
  writeFileSync(pageFile, benchmarkPage(readResults() ?? noResults()));
}

function noResults(): never {
  throw new Error("bench/results/latest.json is missing. Measure first: npm run bench:publish");
}
