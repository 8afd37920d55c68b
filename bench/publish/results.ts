import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Durable } from "./durable.ts";
import type { Ladder } from "./ladder.ts";
import type { Lander } from "./lander.ts";
import type { Latency } from "./latency.ts";
import type { Lists } from "./lists.ts";
import type { Machine, Run } from "./machine.ts";
import type { Memory } from "./memory.ts";
import type { PeerVersion } from "./peer-versions.ts";
import type { Peers } from "./peers.ts";
import type { Recovery } from "./recovery.ts";
import type { Steps } from "./steps.ts";

/** What each part measures. */
export interface PartBodies {
  readonly ladder: Ladder;
  readonly lists: Lists;
  readonly peers: Peers;
  readonly latency: Latency;
  readonly memory: Memory;
  readonly steps: Steps;
  readonly lander: Lander;
  readonly durable: Durable;
  readonly recovery: Recovery;
}

export type PartName = keyof PartBodies;

/** The file with all figures. Each part notes its own run, because parts can be measured again one by one. */
export interface Results {
  readonly machine: Machine;
  readonly peers: readonly PeerVersion[];
  readonly parts: { readonly [Name in PartName]?: Run & PartBodies[Name] };
}

export const resultsFile = join(import.meta.dirname, "../results/latest.json");
export const pageFile = join(import.meta.dirname, "../../docs/benchmarks.md");

export function readResults(): Results | undefined {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as Results) : undefined;
}

/** Replaces the parts that were measured again. Parts of another machine are dropped. */
export function mergeParts(before: Results | undefined, now: Results): Results {
  const isSame = before !== undefined && isDeepStrictEqual(before.machine, now.machine);
  return isSame ? { ...now, parts: { ...before.parts, ...now.parts } } : now;
}

export function writeResults(results: Results): void {
  mkdirSync(dirname(resultsFile), { recursive: true });
  // The figures of all rounds of a row are on one line.
  const text = JSON.stringify(results, null, 2).replaceAll(
    /\[\s+([-\d.,\s]+?)\s+\]/g,
    (_, figures: string) => `[${figures.split(/,\s+/).join(", ")}]`,
  );
  writeFileSync(resultsFile, `${text}\n`);
}
