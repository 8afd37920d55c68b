import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** Where figures come from. Parts of different machines are never in one file. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.version,
  };
}

/** What is noted of the run of one part. */
export interface Run {
  readonly measuredAt: string;
  readonly commit: string;
  /** Sources differed from the commit. */
  readonly isModified: boolean;
  readonly isQuick: boolean;
  /** Runnable processes on the machine before the part began, on average over a minute. */
  readonly loadAverage: number;
  readonly seconds: number;
}

/** Runs a part, and notes when and on what it was run. */
export async function noteRun<Body>(isQuick: boolean, work: () => Promise<Body>): Promise<Run & Body> {
  const startedAt = Date.now();
  const [loadAverage = 0] = loadavg();
  const body = await work();
  return {
    measuredAt: new Date(startedAt).toISOString(),
    commit: git("rev-parse", "--short=10", "HEAD"),
    isModified: git("status", "--porcelain", "--", ":/packages", ":/bench", ":!/bench/results") !== "",
    isQuick,
    loadAverage: Number(loadAverage.toFixed(1)),
    seconds: Math.round((Date.now() - startedAt) / 1000),
    ...body,
  };
}

function git(...words: string[]): string {
  return execFileSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
}
