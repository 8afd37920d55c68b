import { closeSync, openSync, readSync, readlinkSync } from "node:fs";

/**
 * The time that a thread uses. On a busy machine it also waits for a processor, which is no fault of its code. Only Linux
 * tells; elsewhere, all the time that passes counts.
 */
export class ThreadTime {
  readonly #file: number | undefined;
  readonly #text = Buffer.alloc(64);
  #last = { at: -Infinity, ms: 0 };

  /** `thread` is undefined if it is not known. */
  constructor(thread: number | undefined) {
    this.#file = thread === undefined ? undefined : openTimes(thread);
  }

  /** Milliseconds that it has computed. */
  readonly computed = (): number => this.#read(([ranNs]) => Number(ranNs) / 1e6);

  /** What it had computed some milliseconds ago, which takes no time to tell. */
  readonly lately = (): number => {
    if (performance.now() - this.#last.at > lateMs) this.#last = { at: performance.now(), ms: this.computed() };
    return this.#last.ms;
  };

  /** Milliseconds that it has computed or slept: all the time but that in which it waited for a processor. */
  readonly awake = (): number => this.#read(([, waitedNs]) => performance.now() - Number(waitedNs) / 1e6);

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  /** Infinite once the thread has ended. */
  #read(find: (times: readonly string[]) => number): number {
    if (this.#file === undefined) return performance.now();
    try {
      const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
      return find(this.#text.toString("latin1", 0, length).split(" "));
    } catch {
      return Infinity;
    }
  }
}

const lateMs = 10;

/** The id of this thread, if the system tells. */
export function threadId(): number | undefined {
  try {
    const id = /\d+$/.exec(readlinkSync("/proc/thread-self"))?.[0];
    return id === undefined ? undefined : Number(id);
  } catch {
    return undefined;
  }
}

let own: ThreadTime | undefined;

/** That of this thread. */
export function ownTime(): ThreadTime {
  return (own ??= new ThreadTime(threadId()));
}

/** The file has two numbers: nanoseconds that the thread ran, and that it waited for a processor. */
function openTimes(thread: number): number | undefined {
  try {
    return openSync(`/proc/self/task/${thread}/schedstat`, "r");
  } catch {
    return undefined;
  }
}
