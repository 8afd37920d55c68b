import { setImmediate as nextTurn } from "node:timers/promises";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Logs } from "../../store/store.ts";
import { Backlog } from "./backlog.ts";
import { auditLog, link } from "./chain.ts";
import type { AuditEntry } from "../../call/audit.ts";

export interface AuditOptions {
  readonly store: Logs;
  /** Calls wait until their line is on disk. */
  readonly strict?: boolean;
  /** How much of the past a kill may take. */
  readonly maxDelayMs?: number;
  /** How many lines one commit has at most. */
  readonly maxBatch?: number;
  /** How many entries wait in memory while the store is slow or broken; what comes on top is counted and lost. */
  readonly maxWaiting?: number;
  /** Told when lines cannot be kept, once for each time that begins. */
  onFault(fault: unknown): void;
}

/** Opens the audit log of a store. Close it before the store. */
export function openAudit(options: AuditOptions): Audit {
  return new Audit(options);
}

/**
 * One line per call, hash-chained, kept in batches between calls. Of a killed process it lacks at most what was recorded
 * in the last `maxDelayMs` in which the event loop was free to write.
 */
export class Audit implements AsyncDisposable {
  readonly #store: Logs;
  readonly #isStrict: boolean;
  readonly #maxBatch: number;
  /** Half of what may be lost: the other half is for writing. */
  readonly #delayMs: number;
  readonly #onFault: (fault: unknown) => void;
  readonly #backlog: Backlog;
  #kept = 0;
  #waiting: Waiting[] = [];
  #lost = 0;
  #lostSince = 0;
  #isFailing = false;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #closing: Promise<void> | undefined;

  constructor(options: AuditOptions) {
    const { store, strict = false, maxDelayMs = 100, maxBatch = 1000, maxWaiting = 100_000 } = options;
    if (!(maxDelayMs >= 0 && maxBatch >= 1 && maxWaiting >= 1)) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        "An audit log's maxDelayMs, maxBatch and maxWaiting must be positive",
      );
    }
    this.#store = store;
    this.#isStrict = strict;
    this.#maxBatch = maxBatch;
    this.#delayMs = maxDelayMs / 2;
    this.#onFault = (fault) => {
      try {
        options.onFault(fault);
      } catch {
        // Whoever is told has nobody to tell in turn, and the log goes on.
      }
    };
    this.#backlog = new Backlog(maxWaiting, this.#onFault);
  }

  /**
   * Never throws. In strict mode a promise, resolved when the line is on disk and rejected when it cannot be put there
   * now; it is still tried again later.
   */
  record(entry: AuditEntry): void | Promise<void> {
    if (this.#closing || this.#backlog.isFull) return this.#lose();
    this.#backlog.push(entry);
    if (this.#isStrict) return this.flush();
    if (!this.#timer && !this.#isRunning) this.#wait(this.#delayMs);
  }

  /** Resolves when everything recorded so far is on disk; rejects when it cannot be put there now. */
  flush(): Promise<void> {
    if (this.#backlog.length === 0) return Promise.resolve();
    this.#runSoon();
    const upTo = this.#kept + this.#backlog.length;
    const kept = new Promise<void>((resolve, reject) => this.#waiting.push({ upTo, resolve, reject }));
    kept.catch(() => undefined); // A fault is reported in any case; nobody has to wait for this promise.
    return kept;
  }

  /** Writes what is left. What cannot be written is reported. */
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
        new BiplaneError("INTERNAL", `The audit log was closed without its last ${count} lines`, { cause: error }),
      );
      this.#lost = 0;
    }
    clearTimeout(this.#timer);
  }

  /** Not at once: calls that end in the same turn share a commit. */
  #runSoon(): void {
    if (this.#isRunning || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => void this.#run());
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), ms);
    // A process that has nothing else to do stays for its lines, but not for a store that is broken.
    if (this.#isFailing) this.#timer.unref();
  }

  /** Commits what is there and whatever is waited for, with a turn for everyone else in between. Never rejects. */
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
      await this.#writeAll();
    }
    this.#isRunning = false;
    if (this.#waiting.length > 0) this.#runSoon();
    else if (this.#backlog.length > 0 && !this.#closing) this.#wait(this.#isFailing ? retryMs : this.#delayMs);
  }

  async #commit(): Promise<void> {
    const lines = this.#backlog.first(this.#maxBatch);
    await this.#store.append(auditLog, (last) => link(lines, last?.line));
    this.#backlog.remove(lines.length);
    this.#kept += lines.length;
    this.#isFailing = false;
    // Nothing finds room before a commit, so here is the place where the lost ones would be.
    if (this.#lost > 0) this.#backlog.push({ lost: this.#lost, time: this.#lostSince });
    this.#lost = 0;
    const pending = this.#waiting.findIndex(({ upTo }) => upTo > this.#kept);
    const done = this.#waiting.splice(0, pending === -1 ? this.#waiting.length : pending);
    for (const waiting of done) waiting.resolve();
  }

  #fail(cause: unknown): void {
    const error = new BiplaneError("INTERNAL", `The audit log cannot be written: ${messageOf(cause)}`, { cause });
    if (!this.#isFailing) this.#onFault(error);
    this.#isFailing = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }

  async #writeAll(): Promise<void> {
    while (this.#backlog.hasFresh) {
      this.#backlog.writeSome(this.#maxBatch);
      await nextTurn();
    }
  }

  #lose(): void | Promise<void> {
    const isFirst = this.#lost++ === 0;
    if (!isFirst && !this.#isStrict) return;
    const why = this.#closing ? "is closed" : "has no room for more lines until the store keeps those that wait";
    const error = new BiplaneError("CAPACITY", `The audit log ${why}`);
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
