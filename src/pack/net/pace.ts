import { setTimeout as sleep } from "node:timers/promises";
import { BiplaneError } from "../../errors.ts";
import type { Deadline } from "./deadline.ts";

/** So many requests a second to one host on average, and so many at once. */
export interface PaceRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface PaceOptions {
  readonly rate?: PaceRate | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Keeps to a rate for each host, and stays away from a host for as long as it asked us to. */
export class Pace {
  readonly #options: PaceOptions;
  /** When a host's allowance is whole again, and until when it wants to be left alone. */
  readonly #hosts = new Map<string, { wholeAt: number; holdUntil: number }>();
  #sweepAt = 1000;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Waits for this request's turn; an error at once where the turn comes after the deadline. */
  async turn(host: string, deadline: Deadline): Promise<void> {
    const waitMs = this.#reserve(host, deadline.remaining);
    if (waitMs > 0) await deadline.race(this.#options.wait(waitMs, deadline.signal));
  }

  /** Leaves a host alone for so long. */
  hold(host: string, ms: number): void {
    const entry = this.#entry(host);
    entry.holdUntil = Math.max(entry.holdUntil, this.#options.now() + Math.min(ms, longestHoldMs));
  }

  #reserve(host: string, atMostMs: number): number {
    const { rate, now } = this.#options;
    const at = now();
    const entry = this.#entry(host);
    const spacing = rate ? 1000 / rate.perSecond : 0;
    const wholeAt = Math.max(at, entry.wholeAt);
    const startAt = Math.max(at, entry.holdUntil, wholeAt - spacing * ((rate?.burst ?? 1) - 1));
    if (startAt - at > atMostMs) throw notYet(host, startAt - at);
    entry.wholeAt = Math.max(wholeAt, startAt) + spacing;
    return startAt - at;
  }

  #entry(host: string): { wholeAt: number; holdUntil: number } {
    let entry = this.#hosts.get(host);
    if (!entry) {
      this.#sweep();
      this.#hosts.set(host, (entry = { wholeAt: 0, holdUntil: 0 }));
    }
    return entry;
  }

  #sweep(): void {
    if (this.#hosts.size < this.#sweepAt) return;
    const at = this.#options.now();
    for (const [host, entry] of this.#hosts) {
      if (entry.wholeAt <= at && entry.holdUntil <= at) this.#hosts.delete(host);
    }
    this.#sweepAt = Math.max(1000, this.#hosts.size * 2);
  }
}

/** A host that asks for a year of silence gets an hour. */
const longestHoldMs = 3_600_000;

/** Waits by the real clock; the signal's end is the deadline's to report. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}

function notYet(host: string, waitMs: number): BiplaneError {
  const seconds = Math.ceil(waitMs / 1000);
  return new BiplaneError("EXECUTION_ERROR", `${host} must be left alone for now; try again in ${seconds} s`, {
    details: { retryAfterMs: Math.ceil(waitMs) },
  });
}
