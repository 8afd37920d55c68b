import { setTimeout as sleep } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { FetchDeadline } from "./fetch-deadline.ts";

/** Average requests per second to one host, and the burst size. */
export interface HostRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface HostRateLimitOptions {
  readonly rate?: HostRate | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Limits the request rate per host, and pauses a host for the time it requested. */
export class HostRateLimit {
  readonly #options: HostRateLimitOptions;
  /** Per host: when its burst is fully available again, and until when it is paused. */
  readonly #hosts = new Map<string, { fullAt: number; pausedUntil: number }>();
  #sweepAt = 1000;

  constructor(options: HostRateLimitOptions) {
    this.#options = options;
  }

  /** Waits until the host may be called. Throws at once if that is after the deadline. */
  async acquire(host: string, deadline: FetchDeadline): Promise<void> {
    const waitMs = this.#reserve(host, deadline.remaining);
    if (waitMs > 0) await deadline.race(this.#options.wait(waitMs, deadline.signal));
  }

  /** Pauses a host. */
  pause(host: string, ms: number): void {
    const entry = this.#entry(host);
    entry.pausedUntil = Math.max(entry.pausedUntil, this.#options.now() + Math.min(ms, maxPauseMs));
  }

  #reserve(host: string, maxWaitMs: number): number {
    const { rate, now } = this.#options;
    const at = now();
    const entry = this.#entry(host);
    const spacing = rate ? 1000 / rate.perSecond : 0;
    const fullAt = Math.max(at, entry.fullAt);
    const startAt = Math.max(at, entry.pausedUntil, fullAt - spacing * ((rate?.burst ?? 1) - 1));
    if (startAt - at > maxWaitMs) throw notYet(host, startAt - at);
    entry.fullAt = Math.max(fullAt, startAt) + spacing;
    return startAt - at;
  }

  #entry(host: string): { fullAt: number; pausedUntil: number } {
    let entry = this.#hosts.get(host);
    if (!entry) {
      this.#sweep();
      this.#hosts.set(host, (entry = { fullAt: 0, pausedUntil: 0 }));
    }
    return entry;
  }

  #sweep(): void {
    if (this.#hosts.size < this.#sweepAt) return;
    const at = this.#options.now();
    for (const [host, entry] of this.#hosts) {
      if (entry.fullAt <= at && entry.pausedUntil <= at) this.#hosts.delete(host);
    }
    this.#sweepAt = Math.max(1000, this.#hosts.size * 2);
  }
}

/** A longer Retry-After counts as one hour. */
const maxPauseMs = 3_600_000;

export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}

function notYet(host: string, waitMs: number): BiplaneError {
  const seconds = Math.ceil(waitMs / 1000);
  return new BiplaneError("EXECUTION_ERROR", `${host} is rate limited. Try again in ${seconds} s.`, {
    details: { retryAfterMs: Math.ceil(waitMs) },
  });
}
