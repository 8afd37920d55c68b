import { randomBytes } from "node:crypto";
import { pruneStatistics, saveStatistics, statisticsSpans } from "../../store/call-statistics.ts";
import { RepeatedWork } from "../../store/repeated-work.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { CallStatisticsRow } from "../../store/tables.ts";
import { CallCounts } from "./call-counts.ts";
import type { CallLog, LoggedCall } from "./call-log.ts";

export interface CallStatisticsOptions {
  readonly store: SqlStore;
  readonly log: Pick<CallLog, "onCall">;
  readonly now?: () => number;
  /** Called once each time writing starts to fail. */
  readonly onFault?: (fault: unknown) => void;
}

/**
 * Counts calls by minute, by ten minutes and by hour, and stores the counts now and then. A call only joins a list;
 * counting and writing happen later, so that calls do not wait for it.
 */
export class CallStatistics {
  readonly #store: SqlStore;
  readonly #now: () => number;
  readonly #stop: () => void;
  readonly #writing: RepeatedWork;
  /** Tells the rows of this process from those of others. */
  readonly #source = randomBytes(6).toString("hex");
  #uncounted: LoggedCall[] = [];
  /** Counts by the start of their minute, since the last write. */
  readonly #fresh = new Map<number, CallCounts>();
  /** Intervals that are not over, and those that are not written yet. */
  readonly #intervals = new Map<string, Interval>();
  #prunedAt: number;

  constructor({ store, log, now = Date.now, onFault = () => undefined }: CallStatisticsOptions) {
    this.#store = store;
    this.#now = now;
    this.#prunedAt = now();
    this.#stop = log.onCall((call) => {
      if (this.#uncounted.push(call) >= maxUncounted) this.#count();
    });
    this.#writing = new RepeatedWork(() => this.#write(), {
      everyMs,
      onFault: (fault, isRepeated) => isRepeated || onFault(fault),
    });
  }

  /** Resolves when the calls so far are stored, or cannot be at present. Never rejects. */
  flush(): Promise<void> {
    return this.#writing.runAnew();
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#writing[Symbol.asyncDispose]();
    await this.flush();
  }

  #count(): void {
    for (const call of this.#uncounted) {
      const minute = startOf(call.at, statisticsSpans.minute);
      const counts = this.#fresh.get(minute) ?? new CallCounts();
      this.#fresh.set(minute, counts);
      counts.add(call);
    }
    this.#uncounted = [];
  }

  async #write(): Promise<void> {
    this.#count();
    for (const [minute, counts] of this.#fresh)
      for (const span of Object.values(statisticsSpans)) this.#add(span, minute, counts);
    this.#fresh.clear();
    const changed = [...this.#intervals.values()].filter(({ isChanged }) => isChanged);
    try {
      const source = this.#source;
      const rows = changed.flatMap(({ span, start, counts }) => counts.rows({ span, start, source }));
      if (rows.length > 0) await saveStatistics(this.#store, rows);
      for (const interval of changed) interval.isChanged = false;
      this.#forgetEnded();
      await this.#prune();
    } catch (error) {
      while (this.#intervals.size > maxIntervals) this.#intervals.delete([...this.#intervals.keys()][0] as string);
      throw error;
    }
  }

  #add(span: number, time: number, added: CallCounts): void {
    const start = startOf(time, span);
    const key = `${span} ${start}`;
    const { counts } = this.#intervals.get(key) ?? { counts: new CallCounts() };
    counts.merge(added);
    this.#intervals.set(key, { span, start, counts, isChanged: true });
  }

  /** A call that ends is counted within seconds, so an interval that ended a while ago is complete. */
  #forgetEnded(): void {
    for (const [key, { span, start, isChanged }] of this.#intervals)
      if (!isChanged && start + span + graceMs < this.#now()) this.#intervals.delete(key);
  }

  async #prune(): Promise<void> {
    if (this.#now() - this.#prunedAt < statisticsSpans.hour) return;
    this.#prunedAt = this.#now();
    await pruneStatistics(this.#store, { now: this.#now() });
  }
}

interface Interval extends Pick<CallStatisticsRow, "span" | "start"> {
  readonly counts: CallCounts;
  /** True until the counts are stored. */
  isChanged: boolean;
}

export function startOf(time: number, span: number): number {
  return Math.floor(time / span) * span;
}

const everyMs = 10_000;
const graceMs = 60_000;
const maxUncounted = 2000;
/** While the store is away. */
const maxIntervals = 200;
