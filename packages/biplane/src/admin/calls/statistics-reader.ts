import { readStatistics, statisticsSpans } from "../../store/call-statistics.ts";
import type { StatisticsSpan } from "../../store/call-statistics.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { CallStatisticsRow } from "../../store/tables.ts";
import type { CallStatisticsBody, StatisticsRange } from "./statistics-api.ts";
import type { CallStatistics } from "./call-statistics.ts";
import { startOf } from "./call-statistics.ts";
import { RangeCounts } from "./range-counts.ts";

export interface StatisticsReaderOptions {
  readonly store: SqlStore;
  readonly statistics: Pick<CallStatistics, "flush">;
  readonly now?: () => number;
}

/**
 * Reads the counts of all processes on a store. Readers of the same range share a result for some seconds, and
 * intervals that are over are read once.
 */
export class StatisticsReader {
  readonly #options: StatisticsReaderOptions;
  readonly #now: () => number;
  readonly #results = new Map<StatisticsRange, { readonly at: number; readonly body: Promise<CallStatisticsBody> }>();
  readonly #past = new Map<StatisticsRange, { readonly until: number; readonly counts: RangeCounts }>();

  constructor(options: StatisticsReaderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  read(range: StatisticsRange): Promise<CallStatisticsBody> {
    const known = this.#results.get(range);
    const at = this.#now();
    if (known && Math.abs(at - known.at) < freshMs) return known.body;
    const body = this.#read(range);
    this.#results.set(range, { at, body });
    body.catch(() => this.#results.delete(range));
    return body;
  }

  async #read(range: StatisticsRange): Promise<CallStatisticsBody> {
    const { span, stepMs, steps } = ranges[range];
    await this.#options.statistics.flush();
    const from = startOf(this.#now(), stepMs) - (steps - 1) * stepMs;
    const known = this.#past.get(range);
    const begin =
      known?.counts.from === from ? known : { until: from, counts: new RangeCounts({ from, stepMs, steps }) };
    const until = Math.max(begin.until, startOf(this.#now() - settledMs, span));
    const past = begin.counts.copy();
    const fresh: CallStatisticsRow[] = [];
    for (const kind of kinds)
      for await (const rows of readStatistics(this.#options.store, { span, kind, from: begin.until }))
        for (const row of rows) {
          if (row.start < until) past.add(row);
          else fresh.push(row);
        }
    if (past.names <= maxKeptNames) this.#past.set(range, { until, counts: past });
    const counts = past.copy();
    for (const row of fresh) counts.add(row);
    return counts.body();
  }
}

const kinds = ["all", "tool", "agent", "policy"] as const;

const ranges: Readonly<Record<StatisticsRange, { span: StatisticsSpan; stepMs: number; steps: number }>> = {
  "1h": { span: statisticsSpans.minute, stepMs: 60_000, steps: 60 },
  "6h": { span: statisticsSpans.minute, stepMs: 300_000, steps: 72 },
  "24h": { span: statisticsSpans.tenMinutes, stepMs: 1_200_000, steps: 72 },
  "7d": { span: statisticsSpans.hour, stepMs: 7_200_000, steps: 84 },
  "30d": { span: statisticsSpans.hour, stepMs: 21_600_000, steps: 120 },
};

const freshMs = 2000;
/** After this time, the processes have written an interval. */
const settledMs = 900_000;
/** Callers choose names, and each read copies what is kept. */
const maxKeptNames = 1000;
