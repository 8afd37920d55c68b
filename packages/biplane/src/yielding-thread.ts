import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Starts a thread that yields to the main thread where processors are few: a guest that computes, or a thread that loads
 * its code, does not delay the answers to others. Only Linux has priorities of threads.
 */
export function startYielding<T>(start: () => T): T {
  const before = new Set(threads());
  const started = start();
  for (const thread of threads()) if (!before.has(thread)) lowerPriority(Number(thread));
  return started;
}

/** The ids of the threads of this process, where the system tells. */
function threads(): readonly string[] {
  try {
    return readdirSync("/proc/self/task");
  } catch {
    return [];
  }
}

function lowerPriority(thread: number): void {
  try {
    setPriority(thread, 10);
  } catch {
    // It has ended, or keeps the priority of the main thread.
  }
}
