import { setPriority } from "node:os";
import { threadId } from "./thread-time.ts";

/**
 * Lets this worker thread yield to the main thread where processors are few: a guest that computes does not delay the
 * answers to others. Only Linux has priorities of threads.
 */
export function lowerPriority(): void {
  try {
    const thread = threadId();
    if (thread !== undefined) setPriority(thread, 10);
  } catch {
    // It has the same priority as the main thread.
  }
}
