import type { CallStatisticsRow } from "../../store/tables.ts";
import { CallCount } from "./call-counts.ts";
import type { CallStatisticsBody, CountedCalls } from "./statistics-api.ts";

/** The counts of a range of time: over all, in steps, and by tool, agent and policy. */
export class RangeCounts {
  readonly from: number;
  readonly #stepMs: number;
  readonly #all = new CallCount();
  readonly #points: readonly CallCount[];
  readonly #named = new Map<string, NamedCount>();

  constructor({ from, stepMs, steps }: { readonly from: number; readonly stepMs: number; readonly steps: number }) {
    this.from = from;
    this.#stepMs = stepMs;
    this.#points = Array.from({ length: steps }, () => new CallCount());
  }

  /** How many names there are. Callers choose some of them. */
  get names(): number {
    return this.#named.size;
  }

  add(row: CallStatisticsRow): void {
    if (row.kind !== "all") return this.#of(row).count.mergeRow(row);
    this.#points[Math.floor((row.start - this.from) / this.#stepMs)]?.mergeRow(row);
    this.#all.mergeRow(row);
  }

  copy(): RangeCounts {
    const copied = new RangeCounts({ from: this.from, stepMs: this.#stepMs, steps: this.#points.length });
    copied.#all.merge(this.#all);
    for (const [at, point] of this.#points.entries()) copied.#points[at]?.merge(point);
    for (const named of this.#named.values()) copied.#of(named).count.merge(named.count);
    return copied;
  }

  body(): CallStatisticsBody {
    return {
      from: new Date(this.from).toISOString(),
      stepMs: this.#stepMs,
      all: counted(this.#all),
      points: this.#points.map(counted),
      tools: this.#most("tool"),
      agents: this.#most("agent"),
      policies: this.#most("policy"),
    };
  }

  #of({ kind, server, name }: Omit<NamedCount, "count">): NamedCount {
    const key = JSON.stringify([kind, server, name]);
    const named = this.#named.get(key) ?? { kind, server, name, count: new CallCount() };
    this.#named.set(key, named);
    return named;
  }

  #most(kind: CallStatisticsRow["kind"]): CallStatisticsBody["tools"] {
    return Array.from(this.#named.values())
      .filter((named) => named.kind === kind)
      .sort((one, other) => other.count.calls - one.count.calls)
      .slice(0, maxListed)
      .map(({ server, name, count }) => ({ server, name, ...counted(count) }));
  }
}

type NamedCount = Pick<CallStatisticsRow, "kind" | "server" | "name"> & { readonly count: CallCount };

function counted(count: CallCount): CountedCalls {
  const { waited, run, wait } = count;
  const quantiles = (histogram: CallCount["run"]) => ({
    p50: histogram.quantile(0.5),
    p95: histogram.quantile(0.95),
    p99: histogram.quantile(0.99),
  });
  return { ...count.counts(), waited, run: quantiles(run), wait: quantiles(wait) };
}

const maxListed = 100;
