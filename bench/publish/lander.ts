import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { rounded } from "./figures.ts";
import type { AbsentPeer, Amount } from "./figures.ts";

/** Steps of the lunar lander per second of CPU time, in process, one figure for each round. */
export interface LanderRow {
  readonly server: string;
  readonly perCpuSecond: readonly number[];
}

export interface Lander {
  readonly steps: number;
  readonly rows: readonly LanderRow[];
  readonly absent: readonly AbsentPeer[];
}

/** The same flights in our physics and in Gymnasium's Box2D, which is C++. Each bit of both is compared. */
export async function measureLander({ isQuick }: Amount): Promise<Lander> {
  const [rounds, seeds, steps] = isQuick ? [2, 5, 200] : [3, 100, 1000];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const played = await play(seeds, steps);
    if ("reason" in played) return { steps: 0, rows: [], absent: [{ name: gymnasium, why: played.reason }] };
    ours.push(played.steps / played.cpuSeconds.ours);
    theirs.push(played.steps / played.cpuSeconds.gymnasium);
  }
  const rows = [
    { server: "biplane", perCpuSecond: rounded(ours, 0) },
    { server: gymnasium, perCpuSecond: rounded(theirs, 0) },
  ];
  return { steps: seeds * steps, rows, absent: [] };
}

const gymnasium = "Gymnasium 1.4.0 (Box2D in C++)";

interface Played {
  readonly result: "ok" | "fail";
  readonly note: string;
  readonly steps: number;
  readonly cpuSeconds: { readonly ours: number; readonly gymnasium: number };
}

async function play(seeds: number, steps: number): Promise<Played | { readonly reason: string }> {
  const fromSource = ["--import", import.meta.resolve("tsx"), "--conditions=biplane-source"];
  const words = [...fromSource, join(import.meta.dirname, "lander.mjs"), String(seeds), String(steps)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const played = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Played | { readonly reason: string };
  if ("result" in played && played.result !== "ok") throw new Error(`The flights differ: ${played.note}`);
  return played;
}
