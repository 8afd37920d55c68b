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
  #writing: Promise<void> | undefined;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
  }

  write(event: TraceEvent): void {
    const { store, file } = this.#options;
    if (!store && file === undefined) return;
    this.#lines.push(JSON.stringify(event));
    this.#writing ??= this.#work().finally(() => {
      this.#writing = undefined;
    });
    this.#writing.catch(() => undefined); // whoever waits in `flush` is told
  }

  /** Resolves when all that was written before is on the disk. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #work(): Promise<void> {
    while (this.#lines.length > 0) {
      await pause(gatherMs);
      const lines = this.#lines;
      this.#lines = [];
      await this.#append(lines);
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { store, file, run } = this.#options;
    if (file !== undefined) await appendFile(file, `${lines.join("\n")}\n`);
    for (let attempt = 1; store; attempt++) {
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
