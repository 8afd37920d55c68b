import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../store/store.ts";
import type { TraceEvent } from "./trace.ts";

export interface TraceWriterOptions {
  readonly store?: Store | undefined;
  /** A JSONL file beside it. */
  readonly file?: string | undefined;
  readonly run: string;
}

/**
 * Writes down what happens, in order, by one hand: whatever came while one write was under way goes into the next, so
 * that a thousand rollouts at once are still one writer.
 */
export class TraceWriter {
  readonly #options: TraceWriterOptions;
  #lines: string[] = [];
  /** The write that holds everything up to now, once it is done. */
  #last: Promise<void> = Promise.resolve();
  #isGathering = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
  }

  write(event: TraceEvent): void {
    const { store, file } = this.#options;
    if (!store && file === undefined) return;
    this.#lines.push(JSON.stringify(event));
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#last = this.#last.then(() => this.#write());
  }

  /** Resolves when all that was written before is on the disk; throws where any of it could not be. */
  async flush(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  async #write(): Promise<void> {
    await pause(gatherMs);
    this.#isGathering = false;
    const lines = this.#lines;
    this.#lines = [];
    try {
      await this.#append(lines);
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { store, file, run } = this.#options;
    if (file !== undefined) await appendFile(file, `${lines.join("\n")}\n`);
    if (!store) return;
    for (let attempt = 1; ; attempt++) {
      try {
        return await store.append(logOf(run), lines);
      } catch (error) {
        if (attempt >= mostAttempts) throw error;
        await pause(attempt * 100);
      }
    }
  }
}

/** The log that holds a run's traces. */
export function logOf(run: string): string {
  return `traces/${run}`;
}

/** Every write waits for the disk, so a few steps are gathered for each. */
const gatherMs = 10;

/** Others may hold the file for longer than the store itself waits. */
const mostAttempts = 10;
