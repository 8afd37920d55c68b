import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Lets this worker thread yield to the main thread where processors are few: a guest that computes does not delay the
 * answers to others. Only Linux has priorities of threads.
 */
export function lowerPriority(): void {
  try {
    const thread = /\d+$/.exec(readlinkSync("/proc/thread-self"))?.[0];
    if (thread !== undefined) setPriority(Number(thread), 10);
  } catch {
    // It has the same priority as the main thread.
  }
}
