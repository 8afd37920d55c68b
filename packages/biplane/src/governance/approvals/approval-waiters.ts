import type { ApprovalRecords } from "./approval-records.ts";
import type { Approval } from "./approval.ts";

/** Calls that wait for answers, given in this process or in another one on the same store. */
export class ApprovalWaiters {
  readonly #records: ApprovalRecords;
  readonly #pollMs: number;
  readonly #waiting = new Map<string, Set<(settled: Approval | "expired") => void>>();
  readonly #listeners = new Set<(approval: Approval) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(records: ApprovalRecords, pollMs: number) {
    this.#records = records;
    this.#pollMs = pollMs;
  }

  /** Resolves with the answered approval, or with the unanswered one on timeout or abort. */
  wait(approval: Approval, options: { patienceMs: number; signal: AbortSignal }): Promise<Approval> {
    const { patienceMs, signal } = options;
    return new Promise((resolve) => {
      const done = (settled: Approval | "expired") => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#remove(approval.id, done);
        resolve(settled === "expired" ? { ...approval, status: settled } : settled);
      };
      const stop = () => done(approval);
      const timer = patienceMs <= maxTimerMs ? setTimeout(stop, patienceMs) : undefined;
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      const others = this.#waiting.get(approval.id) ?? new Set();
      this.#waiting.set(approval.id, others.add(done));
      this.#timer ??= setTimeout(() => void this.#poll(), this.#pollMs);
    });
  }

  /** Notifies listeners and the calls that wait for this approval. */
  notify(approval: Approval): void {
    for (const listener of this.#listeners) listener(approval);
    if (approval.status === "waiting") return;
    for (const done of this.#waiting.get(approval.id) ?? []) done(approval);
  }

  onChange(listener: (approval: Approval) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** If the store cannot be read, calls keep waiting. */
  async #poll(): Promise<void> {
    try {
      for (const settled of await this.#records.settledAmong([...this.#waiting.keys()])) this.notify(settled);
      for (const id of await this.#records.missingAmong([...this.#waiting.keys()])) this.#expire(id);
    } catch {
      // The next poll may read it.
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#poll(), this.#pollMs) : undefined;
  }

  /** Nobody can answer a deleted question. */
  #expire(id: string): void {
    for (const done of this.#waiting.get(id) ?? []) done("expired");
  }

  #remove(id: string, done: (settled: Approval | "expired") => void): void {
    const others = this.#waiting.get(id);
    others?.delete(done);
    if (others?.size === 0) this.#waiting.delete(id);
  }
}

const maxTimerMs = 2 ** 31 - 1;
