import { setImmediate as nextTurn } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { AuditEntry } from "@biplane/core/internal";
import type { AuditLog } from "../../store/audit-log.ts";
import { Backlog } from "./backlog.ts";

export interface AuditOptions {
  readonly store: { readonly audit: Pick<AuditLog, "append"> };
  /** Calls wait until their line is on disk (default: false). */
  readonly strict?: boolean;
  /**
   * Longest time that a line stays in memory, so at most this much is lost when the process is killed (default: 100).
   */
  readonly maxDelayMs?: number;
  /** Maximum lines per commit (default: 1000). */
  readonly maxBatch?: number;
  /**
   * Maximum entries held in memory while the store is slow or failing (default: 100,000). Further entries are dropped,
   * and the log records how many.
   */
  readonly maxWaiting?: number;
  /** Called once each time writing starts to fail. */
  onFault(fault: unknown): void;
}

/** Opens the audit log of a store. Close it before the store. */
export function openAudit(options: AuditOptions): Audit {
  return new Audit(options);
}

/**
 * A hash-chained log with one line per call, written in batches off the call path. A killed process loses at most the
 * lines of the last `maxDelayMs`, if the event loop was not blocked.
 */
export class Audit implements AsyncDisposable {
  readonly #log: Pick<AuditLog, "append">;
  readonly #isStrict: boolean;
  readonly #maxBatch: number;
  /** Half of `maxDelayMs`. The other half is for writing. */
  readonly #delayMs: number;
  readonly #onFault: (fault: unknown) => void;
  readonly #backlog: Backlog;
  #kept = 0;
  #waiting: Waiting[] = [];
  #lost = 0;
  #lostSince = 0;
  /** Why the last write failed. */
  #fault: BiplaneError | undefined;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #closing: Promise<void> | undefined;

  constructor(options: AuditOptions) {
    const { store, strict = false, maxDelayMs = 100, maxBatch = 1000, maxWaiting = 100_000 } = options;
    if (!(maxDelayMs >= 0 && maxBatch >= 1 && maxWaiting >= 1)) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        "An audit log's maxDelayMs, maxBatch and maxWaiting must be positive numbers.",
      );
    }
    this.#log = store.audit;
    this.#isStrict = strict;
    this.#maxBatch = maxBatch;
    this.#delayMs = maxDelayMs / 2;
    this.#onFault = (fault) => {
      try {
        options.onFault(fault);
      } catch {
        // A throwing `onFault` must not stop the log.
      }
    };
    this.#backlog = new Backlog({ maxLines: maxWaiting, maxGroup: maxBatch, onFault: this.#onFault });
  }

  /** In strict mode, why no line can be written at present. Writing is tried again every second. */
  get fault(): BiplaneError | undefined {
    return this.#isStrict ? this.#fault : undefined;
  }

  /**
   * Never throws. In strict mode it returns a promise that resolves when the line is on disk, and rejects when the
   * write fails. A failed line is retried later.
   */
  record(entry: AuditEntry): void | Promise<void> {
    if (this.#closing || this.#backlog.isFull) return this.#lose();
    this.#backlog.push(entry);
    if (this.#isStrict) return this.flush();
    if (!this.#timer && !this.#isRunning) this.#wait(this.#delayMs);
  }

  /** Resolves when everything recorded so far is on disk. Rejects when the write fails. */
  flush(): Promise<void> {
    if (this.#backlog.length === 0) return Promise.resolve();
    this.#runSoon();
    const upTo = this.#kept + this.#backlog.length;
    const kept = new Promise<void>((resolve, reject) => this.#waiting.push({ upTo, resolve, reject }));
    kept.catch(() => undefined); // Faults go to `onFault`, so callers may ignore this promise.
    return kept;
  }

  /** Writes the remaining lines. Reports how many could not be written. */
  close(): Promise<void> {
    return (this.#closing ??= this.#finish());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #finish(): Promise<void> {
    try {
      while (this.#backlog.length > 0) await this.flush();
    } catch (error) {
      const count = this.#backlog.length + this.#lost;
      this.#onFault(
        new BiplaneError("INTERNAL", `The audit log was closed before its last ${count} lines were written.`, {
          cause: error,
        }),
      );
      this.#lost = 0;
    }
    clearTimeout(this.#timer);
  }

  /** Deferred, so that calls that end in the same turn share a commit. */
  #runSoon(): void {
    if (this.#isRunning || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => void this.#run());
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), ms);
    // Keep the process alive for pending lines, but not for a store that keeps failing.
    if (this.#fault) this.#timer.unref();
  }

  /** Commits in batches and yields to the event loop in between. Never rejects. */
  async #run(): Promise<void> {
    this.#isDue = false;
    if (this.#isRunning) return;
    this.#isRunning = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const target = this.#kept + this.#backlog.length;
    try {
      while (this.#kept < target || this.#waiting.length > 0 || this.#backlog.length >= this.#maxBatch) {
        await this.#commit();
        await nextTurn();
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#isRunning = false;
    if (this.#waiting.length > 0) this.#runSoon();
    else if (this.#backlog.length > 0 && !this.#closing) this.#wait(this.#fault ? retryMs : this.#delayMs);
  }

  async #commit(): Promise<void> {
    const group = this.#backlog.first();
    if (!group) return;
    await this.#log.append(group.text, group.attempt);
    this.#backlog.removeFirst();
    this.#kept += group.lines;
    this.#fault = undefined;
    // The backlog stays full until a commit, so the dropped entries belong right here.
    if (this.#lost > 0) this.#backlog.push({ lost: this.#lost, time: this.#lostSince });
    this.#lost = 0;
    const pending = this.#waiting.findIndex(({ upTo }) => upTo > this.#kept);
    const done = this.#waiting.splice(0, pending === -1 ? this.#waiting.length : pending);
    for (const waiting of done) waiting.resolve();
  }

  #fail(cause: unknown): void {
    const error = new BiplaneError("INTERNAL", `The audit log cannot be written: ${messageOf(cause)}`, { cause });
    if (!this.#fault) this.#onFault(error);
    this.#fault = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }

  #lose(): void | Promise<void> {
    const isFirst = this.#lost++ === 0;
    if (!isFirst && !this.#isStrict) return;
    const why = this.#closing ? "is closed" : "is full until the store accepts the lines that wait";
    const error = new BiplaneError("CAPACITY", `The audit log ${why}.`);
    if (isFirst) {
      this.#lostSince = Date.now();
      this.#onFault(error);
    }
    if (!this.#isStrict) return;
    const refused = Promise.reject(error);
    refused.catch(() => undefined);
    return refused;
  }
}

interface Waiting {
  readonly upTo: number;
  resolve(): void;
  reject(error: BiplaneError): void;
}

const retryMs = 1000;
