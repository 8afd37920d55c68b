import { setImmediate as nextTurn } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { callsBefore, getCall, insertCalls, listCalls } from "../../store/calls.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { CallDetail, CallSummary } from "./call-api.ts";
import { millisecondsOf } from "./call-filter.ts";
import type { CallFilter } from "./call-filter.ts";
import { weightOf } from "./call-log.ts";
import type { CallLog, LoggedCall } from "./call-log.ts";
import { detailFrom, rowOf, summaryFrom } from "./call-row.ts";
import { callDetail } from "./call-view.ts";

export interface CallHistoryOptions {
  readonly store: SqlStore;
  readonly log: CallLog;
  /** Maximum calls that wait while the store is slow or away (default: 5,000). Further ones are not stored. */
  readonly maxWaiting?: number;
  /** Called once each time writing starts to fail. */
  readonly onFault?: (fault: unknown) => void;
}

/**
 * The calls of all processes that share a store. Calls are written in groups, some time after they ended, so a killed
 * process loses its last ones. The audit log is the record.
 */
export class CallHistory {
  readonly #store: SqlStore;
  readonly #maxWaiting: number;
  readonly #onFault: (fault: unknown) => void;
  readonly #stop: () => void;
  #waiting: LoggedCall[] = [];
  /** Approximate characters of `#waiting`. */
  #size = 0;
  #lost = 0;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor({ store, log, maxWaiting = 5000, onFault = () => undefined }: CallHistoryOptions) {
    this.#store = store;
    this.#maxWaiting = maxWaiting;
    this.#onFault = onFault;
    this.#stop = log.onCall((call) => this.#add(call));
  }

  /** Newest first. A filter that matches few calls may give short pages; the last one has no `next`. */
  async list(
    filter: CallFilter,
    page: { after?: string | undefined; limit: number },
  ): Promise<{ calls: CallSummary[]; next: string | null }> {
    await this.flush();
    const times = { since: millisecondsOf(filter.since), until: millisecondsOf(filter.until) };
    const { calls, next } = await listCalls(this.#store, { ...filter, ...times, ...page });
    return { calls: calls.map(summaryFrom), next };
  }

  async find(id: string): Promise<CallDetail | undefined> {
    // Without a flush: while calls arrive faster than they are written, it would wait for all of them.
    const waiting = this.#waiting.find((call) => call.id === id);
    if (waiting) return callDetail(waiting);
    const row = await getCall(this.#store, id);
    return row && detailFrom(row);
  }

  /** The newest calls, without their results. They are read in pages, so that no other call waits for long. */
  async newest(limit: number): Promise<CallDetail[]> {
    await this.flush();
    const found: CallDetail[] = [];
    while (found.length < limit) {
      const pageSize = Math.min(50, limit - found.length);
      const page = await callsBefore(this.#store, found.at(-1)?.id, pageSize);
      for (const row of page) found.push({ ...detailFrom(row), result: null, timeline: [] });
      if (page.length < pageSize) break;
      await nextTurn();
    }
    return found;
  }

  /** Resolves when the calls so far are stored, or cannot be at present. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#write();
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0) this.#report(`${this.#waiting.length} calls were not stored.`);
  }

  #add(call: LoggedCall): void {
    const weight = weightOf(call);
    if (this.#waiting.length >= this.#maxWaiting || this.#size + weight > maxCharacters) {
      this.#lost++;
      return;
    }
    this.#waiting.push(call);
    this.#size += weight;
    if (!this.#timer && !this.#writing) this.#writeIn(delayMs);
  }

  #writeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), ms);
    this.#timer.unref();
  }

  /** Never rejects. */
  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#writeIn(this.#isFailing ? retryMs : delayMs);
    }));
  }

  async #writeAll(): Promise<void> {
    try {
      for (let left = this.#waiting.length; left > 0; left -= maxGroup) {
        const group = this.#waiting.slice(0, Math.min(left, maxGroup));
        await insertCalls(this.#store, group.map(rowOf));
        this.#waiting.splice(0, group.length);
        for (const call of group) this.#size -= weightOf(call);
        await nextTurn();
      }
      this.#isFailing = false;
      if (this.#lost > 0) this.#report(`${this.#lost} calls were not stored: the store was too slow.`);
      this.#lost = 0;
    } catch (error) {
      if (!this.#isFailing) this.#report(`Calls cannot be stored: ${messageOf(error)}`, error);
      this.#isFailing = true;
    }
  }

  #report(message: string, cause?: unknown): void {
    this.#onFault(new BiplaneError("INTERNAL", message, { cause }));
  }
}

/** A group holds the thread of a SQLite store for some milliseconds. */
const maxGroup = 200;
const delayMs = 200;
const retryMs = 2000;
const maxCharacters = 32_000_000;
