import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlStore } from "../sql-store.ts";
import type { TraceEvent } from "../../rollout/trace.ts";
import { RolloutTracker } from "./rollout-facts.ts";
import { writeEvents } from "./rollouts.ts";
import type { WrittenEvent } from "./rollouts.ts";

export interface TraceWriterOptions {
  readonly store?: SqlStore | undefined;
  /** JSONL file for the same events. */
  readonly file?: string | undefined;
  readonly run: string;
}

/**
 * Writes events in order. Events that arrive during a write go into the next one, so that a thousand parallel rollouts
 * need only one writer.
 */
export class TraceWriter {
  readonly #options: TraceWriterOptions;
  readonly #tracker: RolloutTracker;
  #pending: WrittenEvent[] = [];
  /** Resolves when everything up to now is written. */
  #last: Promise<void> = Promise.resolve();
  #isBatching = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
    this.#tracker = new RolloutTracker(options.run);
  }

  write(event: TraceEvent): void {
    const { store, file } = this.#options;
    if (!store && file === undefined) return;
    const added = this.#tracker.add(event);
    if (added) this.#pending.push({ ...added, line: JSON.stringify(event) });
    if (this.#isBatching) return;
    this.#isBatching = true;
    this.#last = this.#last.then(() => this.#write());
  }

  /** Resolves when all earlier events are on disk; throws if a write failed. */
  async flush(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  async #write(): Promise<void> {
    await pause(batchMs);
    this.#isBatching = false;
    const pending = this.#pending;
    this.#pending = [];
    const { store, file, run } = this.#options;
    try {
      if (file !== undefined) await appendFile(file, pending.map(({ line }) => `${line}\n`).join(""));
      if (store) await withRetries(store, () => writeEvents(store, run, pending));
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}

/** Other processes may lock the file for long, and a database may be away for a minute. */
export async function withRetries(store: SqlStore, write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= maxAttempts || store.isClosed) throw error;
      await pause(Math.min(attempt * 100, 2000));
    }
  }
}

/** Delay before a write, to batch several steps: every write waits for the disk. */
const batchMs = 10;
const maxAttempts = 50;
