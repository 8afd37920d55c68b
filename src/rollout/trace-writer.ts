import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { LogLine, Store } from "../store/store.ts";
import { IndexWriter } from "./index-writer.ts";
import type { TraceEvent } from "./trace.ts";
import { logOf } from "./trace-index.ts";

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
  readonly #index: IndexWriter | undefined;
  #written: Written[] = [];
  #hasBegun = false;
  #indexTimer: NodeJS.Timeout | undefined;
  /** The write that holds everything up to now, once it is done. */
  #last: Promise<void> = Promise.resolve();
  #isGathering = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
    this.#index = options.store && new IndexWriter(options.store, options.run);
  }

  write(event: TraceEvent): void {
    const { store, file } = this.#options;
    if (!store && file === undefined) return;
    this.#written.push({ event, line: JSON.stringify(event) });
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#last = this.#last.then(() => this.#write());
  }

  /** Resolves when all that was written before is on the disk; throws where any of it could not be. */
  async flush(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  /** The same, and the index goes as far as the traces do. */
  async close(): Promise<void> {
    clearTimeout(this.#indexTimer);
    this.#last = this.#last.then(() => this.#writeIndex()).then(() => this.#sumUp());
    await this.flush();
  }

  async #write(): Promise<void> {
    await pause(gatherMs);
    this.#isGathering = false;
    const written = this.#written;
    this.#written = [];
    await this.#attempt(() => this.#append(written));
    this.#indexTimer ??= setTimeout(() => {
      this.#indexTimer = undefined;
      this.#last = this.#last.then(() => this.#writeIndex());
    }, indexMs).unref();
  }

  async #writeIndex(): Promise<void> {
    const index = this.#index;
    if (index) await this.#attempt(() => persist(() => index.write()));
  }

  async #sumUp(): Promise<void> {
    const index = this.#index;
    if (index) await this.#attempt(() => persist(() => index.sumUp()));
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #append(written: readonly Written[]): Promise<void> {
    const { store, file, run } = this.#options;
    const lines = written.map(({ line }) => line);
    if (file !== undefined) await appendFile(file, `${lines.join("\n")}\n`);
    const index = this.#index;
    if (!store || !index) return;
    if (!this.#hasBegun) await persist(() => index.begin());
    this.#hasBegun = true;
    let first = 1;
    const numbered = (last: LogLine | undefined) => ((first = (last?.sequence ?? 0) + 1), lines);
    await persist(() => store.append(logOf(run), numbered));
    index.hear(
      written.map(({ event }) => event),
      first,
    );
  }
}

interface Written {
  readonly event: TraceEvent;
  readonly line: string;
}

/** Others may hold the file for longer than the store itself waits. */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= mostAttempts) throw error;
      await pause(attempt * 100);
    }
  }
}

/** Every write waits for the disk, so a few steps are gathered for each. */
const gatherMs = 10;

/** The index may be a little behind, since it can be made from the traces. */
const indexMs = 250;

const mostAttempts = 10;
