import { readStatistics, statisticsSpans } from "../../store/call-statistics.ts";
import type { StatisticsSpan } from "../../store/call-statistics.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { CallStatisticsRow } from "../../store/tables.ts";
import type { CallStatisticsBody, CountedCalls, StatisticsRange } from "./statistics-api.ts";
import { CallCount } from "./call-counts.ts";
import type { CallStatistics } from "./call-statistics.ts";
import { startOf } from "./call-statistics.ts";

export interface StatisticsReaderOptions {
  readonly store: SqlStore;
  readonly statistics: Pick<CallStatistics, "flush">;
  readonly now?: () => number;
}

/** Reads the counts of all processes on a store. Readers of the same range share a result for some seconds. */
export class StatisticsReader {
  readonly #options: StatisticsReaderOptions;
  readonly #now: () => number;
  readonly #results = new Map<StatisticsRange, { readonly at: number; readonly body: Promise<CallStatisticsBody> }>();

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
    const last = startOf(this.#now(), stepMs);
    const from = last - (steps - 1) * stepMs;
    const points = Array.from({ length: steps }, () => new CallCount());
    const all = new CallCount();
    const where = { span, from };
    for await (const rows of readStatistics(this.#options.store, { ...where, kind: "all" }))
      for (const row of rows) {
        points[Math.floor((row.start - from) / stepMs)]?.mergeRow(row);
        all.mergeRow(row);
      }
    return {
      from: new Date(from).toISOString(),
      stepMs,
      all: counted(all),
      points: points.map(counted),
      tools: await this.#byName({ ...where, kind: "tool" }),
      agents: await this.#byName({ ...where, kind: "agent" }),
      policies: await this.#byName({ ...where, kind: "policy" }),
    };
  }

  async #byName(query: { span: StatisticsSpan; from: number; kind: CallStatisticsRow["kind"] }) {
    const names = new Map<string, { server: string; name: string; count: CallCount }>();
    for await (const rows of readStatistics(this.#options.store, query))
      for (const row of rows) {
        const key = JSON.stringify([row.server, row.name]);
        const named = names.get(key) ?? { server: row.server, name: row.name, count: new CallCount() };
        names.set(key, named);
        named.count.mergeRow(row);
      }
    return [...names.values()]
      .sort((one, other) => other.count.calls - one.count.calls)
      .slice(0, maxListed)
      .map(({ server, name, count }) => ({ server, name, ...counted(count) }));
  }
}

const ranges: Readonly<Record<StatisticsRange, { span: StatisticsSpan; stepMs: number; steps: number }>> = {
  "1h": { span: statisticsSpans.minute, stepMs: 60_000, steps: 60 },
  "6h": { span: statisticsSpans.minute, stepMs: 300_000, steps: 72 },
  "24h": { span: statisticsSpans.tenMinutes, stepMs: 1_200_000, steps: 72 },
  "7d": { span: statisticsSpans.hour, stepMs: 7_200_000, steps: 84 },
  "30d": { span: statisticsSpans.hour, stepMs: 21_600_000, steps: 120 },
};

function counted({ calls, failed, refused, waited, run, wait }: CallCount): CountedCalls {
  const quantiles = (histogram: CallCount["run"]) => ({
    p50: histogram.quantile(0.5),
    p95: histogram.quantile(0.95),
    p99: histogram.quantile(0.99),
  });
  return { calls, failed, refused, waited, run: quantiles(run), wait: quantiles(wait) };
}

const freshMs = 2000;
const maxListed = 100;
