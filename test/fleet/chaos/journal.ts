import { setTimeout as pause } from "node:timers/promises";

/** What the clients of a fleet saw. */
export class Journal {
  longestPauseMs = 0;
  /** What was in the longest pause. */
  slowest = "";
  /** Requests that were sent again. */
  retries = 0;
  readonly failures: string[] = [];
  readonly #restMs: number;

  /** `restMs`: how long a client rests after each answer. Without a rest, the clients take all the time of the machine. */
  constructor({ restMs }: { readonly restMs: number }) {
    this.#restMs = restMs;
  }

  rest(): Promise<void> {
    return pause(this.#restMs);
  }

  /** Sends a request with a client that retries by itself. */
  async once<T>(what: string, send: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const answer = await send();
    const pauseMs = performance.now() - startedAt;
    if (pauseMs > this.longestPauseMs) [this.longestPauseMs, this.slowest] = [pauseMs, what];
    if (this.#restMs > 0) await this.rest();
    return answer;
  }

  /** Sends a request until it is answered. The pause of a client is the time until then. */
  untilAnswered<T>(what: string, send: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    return this.once(what, async () => {
      for (;;) {
        try {
          return await send();
        } catch (error) {
          if (performance.now() - startedAt > patienceMs) throw error;
          this.retries++;
          await pause(50);
        }
      }
    });
  }

  /** Work that must not fail. What it says if it does is reported. */
  async attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      this.failures.push(`${what}: ${String(error)}`);
    });
  }
}

const patienceMs = 90_000;
