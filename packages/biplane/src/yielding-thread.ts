import { readFileSync, readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Starts a thread that yields to the main thread where processors are few: a guest that computes, or a thread that loads
 * its code, does not delay the answers to others. While it computes without a pause, it also yields to the other threads
 * that yield, so that short work is done before long work. Only Linux has priorities of threads.
 */
export function startYielding<T>(start: () => T): T {
  const before = new Set(threads());
  const started = start();
  for (const thread of threads()) if (!before.has(thread)) watch(thread);
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

interface Watched {
  /** The time that it has computed or waited for a processor until the last look. */
  activeMs: number;
  /** How often in a row it had no pause. */
  busyLooks: number;
}

const watched = new Map<string, Watched>();
let timer: NodeJS.Timeout | undefined;

function watch(thread: string): void {
  changePriority(thread, yielding);
  watched.set(thread, { activeMs: activeMsOf(thread) ?? 0, busyLooks: 0 });
  timer ??= setInterval(look, everyMs).unref();
}

function look(): void {
  for (const [thread, last] of watched) {
    const activeMs = activeMsOf(thread);
    if (activeMs === undefined) {
      watched.delete(thread);
      continue;
    }
    const isBusy = activeMs - last.activeMs > everyMs * 0.8;
    if (isBusy && last.busyLooks === 1) changePriority(thread, lowest);
    if (!isBusy && last.busyLooks > 1) changePriority(thread, yielding);
    watched.set(thread, { activeMs, busyLooks: isBusy ? last.busyLooks + 1 : 0 });
  }
  if (watched.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Undefined once it has ended. */
function activeMsOf(thread: string): number | undefined {
  try {
    const [ranNs, waitedNs] = readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ");
    return (Number(ranNs) + Number(waitedNs)) / 1e6;
  } catch {
    return undefined;
  }
}

function changePriority(thread: string, priority: number): void {
  try {
    setPriority(Number(thread), priority);
  } catch {
    // It has ended, or only an administrator may raise its priority again.
  }
}

const yielding = 10;
const lowest = 19;
const everyMs = 200;
