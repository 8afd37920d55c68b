import { openSync, readSync } from "node:fs";

/**
 * Measures how long the event loop of this thread is held: the longest CPU time between two timer ticks. CPU time,
 * because on a busy machine a thread also waits for its turn, which is not its fault.
 */
export class HoldMeter {
  #longest = 0;
  #last = cpuMs();
  readonly #timer = setInterval(() => this.#tick(), 1);

  /** Longest hold since the start, in milliseconds of CPU time. */
  stop(): number {
    this.#tick();
    clearInterval(this.#timer);
    return this.#longest;
  }

  #tick(): void {
    const now = cpuMs();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }
}

const bytes = Buffer.alloc(64);
const schedule = process.platform === "linux" ? openSync(`/proc/self/task/${process.pid}/schedstat`, "r") : undefined;

/** The CPU time of the main thread in milliseconds. Other systems than Linux give only the wall clock. */
export function cpuMs(): number {
  if (schedule === undefined) return performance.now();
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString("latin1", 0, length).split(" ", 1)[0]) / 1e6;
}

/** The longest time, in milliseconds of CPU time, for which `work` holds the event loop. */
export async function heldMs(work: () => Promise<unknown>): Promise<number> {
  const meter = new HoldMeter();
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    return meter.stop();
  } finally {
    meter.stop();
  }
}
