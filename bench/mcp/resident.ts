import { readFileSync } from "node:fs";

/** Resident memory of a process, in bytes, as Linux counts it. */
export function residentOf(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
