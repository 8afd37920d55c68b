import { callerOf } from "../../call/caller-of.ts";
import { BiplaneError } from "../../errors.ts";
import type { ApprovalRecords } from "./approval-records.ts";
import type { Approval } from "./approval.ts";

/** Where calls wait for their answers, given in this process or in another one on the same store. */
export class WaitingRoom {
  readonly #records: ApprovalRecords;
  readonly #pollMs: number;
  readonly #waiting = new Map<string, Set<(approval: Approval) => void>>();
  readonly #callers = new Map<string, number>();
  readonly #listeners = new Set<(approval: Approval) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(records: ApprovalRecords, pollMs: number) {
    this.#records = records;
    this.#pollMs = pollMs;
  }

  /** Takes a place for a call; many may wait for one answer, and each of them holds what it was called with. */
  enter({ principal }: Approval, most: number): () => void {
    const key = callerOf(principal);
    const there = this.#callers.get(key) ?? 0;
    if (there >= most) throw new BiplaneError("CAPACITY", `${there} calls of this caller wait for approval already`);
    this.#callers.set(key, there + 1);
    return () => {
      const left = (this.#callers.get(key) ?? 1) - 1;
      if (left > 0) this.#callers.set(key, left);
      else this.#callers.delete(key);
    };
  }

  /** The approval once it is answered, or as it is when patience runs out or the call is stopped. */
  wait(approval: Approval, options: { patienceMs: number; signal: AbortSignal }): Promise<Approval> {
    const { patienceMs, signal } = options;
    return new Promise((resolve) => {
      const done = (current: Approval) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#leave(approval.id, done);
        resolve(current);
      };
      const stop = () => done(approval);
      const timer = patienceMs <= longestTimer ? setTimeout(stop, patienceMs) : undefined;
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      const others = this.#waiting.get(approval.id) ?? new Set();
      this.#waiting.set(approval.id, others.add(done));
      this.#timer ??= setTimeout(() => void this.#poll(), this.#pollMs);
    });
  }

  /** Tells everyone what has become of an approval. */
  tell(approval: Approval): void {
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

  /** A store that cannot be read answers nothing: those who wait go on waiting. */
  async #poll(): Promise<void> {
    for (const id of this.#waiting.keys()) {
      const current = await this.#records.get(id).catch(() => undefined);
      if (current && current.status !== "waiting") this.tell(current);
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#poll(), this.#pollMs) : undefined;
  }

  #leave(id: string, done: (approval: Approval) => void): void {
    const others = this.#waiting.get(id);
    others?.delete(done);
    if (others?.size === 0) this.#waiting.delete(id);
  }
}

const longestTimer = 2 ** 31 - 1;
