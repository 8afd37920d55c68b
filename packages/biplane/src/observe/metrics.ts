import { oneLine } from "@biplane/core/internal";
import type { AuditOutcome, Shares } from "@biplane/core/internal";
import type { ErrorCode, Measured, Meter, Route } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { CallSeries } from "./call-series.ts";
import { exposition, familiesOf } from "./exposition.ts";
import type { Family, Sample } from "./exposition.ts";
import { ProcessMetrics } from "./process-metrics.ts";

export interface MetricsOptions {
  /** Maximum pairs of tool and route (default: 500). Further calls count under the tool `other`. */
  readonly maxSeries?: number;
  readonly now?: () => number;
}

/** Prometheus metrics: `server.measure(metrics)`. Several servers may share one. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new Metrics(options);
}

/** Counts calls and their durations. Create it with `createMetrics`. */
export class Metrics implements Meter, Disposable {
  readonly #maxSeries: number;
  readonly #process: ProcessMetrics;
  /** By the called name, then by route. */
  readonly #byName = new Map<string, Map<Route, CallSeries>>();
  /** By label, then by route. Several odd names may share one label. */
  readonly #byLabel = new Map<string, Map<Route, CallSeries>>();
  readonly #errors = new Map<ErrorCode, number>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #shares = new Set<Shares>();
  #series = 0;

  constructor({ maxSeries = 500, now = Date.now }: MetricsOptions) {
    this.#maxSeries = maxSeries;
    this.#process = new ProcessMetrics(now);
  }

  end({ call, tool, outcome, durationMs, waitedMs }: Measured): void {
    let code: AuditOutcome;
    if (outcome.status === "failed") {
      ({ code } = outcome.error);
      this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
    } else code = outcome.status;
    // Unknown tool names are made up by the caller and unbounded.
    const name = tool ? call.tool : unknown;
    const series = this.#byName.get(name)?.get(call.route) ?? this.#find(name, call.route);
    series.add(code, { runMs: durationMs - waitedMs, waitedMs });
  }

  /** A number that is read on each scrape. Gauges of the same name are added up. Returns a function that removes it. */
  gauge(name: GaugeName | (string & {}), read: () => number | Promise<number>, help?: string): () => void {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `${name} is not a valid gauge name. Use lowercase letters, digits and _.`,
      );
    }
    const known = help ?? (name in gaugeHelp ? gaugeHelp[name as GaugeName] : name);
    const gauge = this.#gauges.get(name) ?? { help: known, readers: new Set() };
    this.#gauges.set(name, gauge);
    gauge.readers.add(read);
    return () => void gauge.readers.delete(read);
  }

  /** Shows what callers hold of these resources, in sum and by the caller who holds most. */
  watch(...shares: readonly Shares[]): void {
    for (const each of shares) this.#shares.add(each);
  }

  /** All metrics, as data. */
  async families(): Promise<Family[]> {
    const all = [...this.#byLabel.values()].flatMap((routes) => [...routes.values()]);
    const errors = Array.from(this.#errors, ([code, value]) => ({ labels: { code }, value }));
    const limited = [{ value: this.#errors.get("RATE_LIMITED") ?? 0 }];
    return [
      ...familiesOf("counter", [
        ["biplane_calls_total", "Calls by tool, route and outcome", all.flatMap((series) => series.calls())],
        ["biplane_errors_total", "Calls that failed, by code", errors],
        ["biplane_rate_limited_total", "Calls rejected by a rate limit", limited],
      ]),
      ...familiesOf("histogram", [
        [
          "biplane_call_duration_seconds",
          "Run time of calls, without waits for people",
          all.flatMap((series) => series.durations()),
        ],
        [
          "biplane_call_wait_seconds",
          "Time that calls waited for people, of the calls that did",
          all.flatMap((series) => series.waits()),
        ],
      ]),
      ...(await Promise.all(Array.from(this.#gauges, ([name, gauge]) => gaugeFamily(name, gauge)))),
      ...sharesFamilies([...this.#shares]),
      ...this.#process.families(),
    ];
  }

  /** All metrics, in the Prometheus text format. */
  async text(): Promise<string> {
    return exposition(await this.families());
  }

  [Symbol.dispose](): void {
    this.#process.close();
  }

  #find(name: string, route: Route): CallSeries {
    if (name !== unknown && this.#series >= this.#maxSeries) return this.#at("other", route);
    const series = this.#at(labelOf(name), route);
    this.#series++;
    routesOf(this.#byName, name).set(route, series);
    return series;
  }

  #at(label: string, route: Route): CallSeries {
    const routes = routesOf(this.#byLabel, label);
    let series = routes.get(route);
    if (!series) routes.set(route, (series = new CallSeries(label, route)));
    return series;
  }
}

const unknown = "unknown";

/** Built-in gauges. Others may be added. */
export type GaugeName = keyof typeof gaugeHelp;

const gaugeHelp = {
  sessions: "Open MCP sessions",
  episodes: "Running episodes",
  approvals_waiting: "Calls that wait for approval",
};

interface Gauge {
  readonly help: string;
  readonly readers: Set<() => number | Promise<number>>;
}

/** If a reader fails, the gauge has no value instead of a wrong one. */
async function gaugeFamily(name: string, { help, readers }: Gauge): Promise<Family> {
  const read = await Promise.allSettled([...readers].map(async (reader) => reader()));
  const isWhole = read.every(({ status }) => status === "fulfilled");
  const sum = read.reduce((total, each) => total + (each.status === "fulfilled" ? each.value : 0), 0);
  return { name: `biplane_${name}`, help, type: "gauge", samples: isWhole ? [{ value: sum }] : [] };
}

function routesOf(table: Map<string, Map<Route, CallSeries>>, key: string): Map<Route, CallSeries> {
  let routes = table.get(key);
  if (!routes) table.set(key, (routes = new Map()));
  return routes;
}

/** A short label without control characters. */
function labelOf(name: string): string {
  return oneLine(name.slice(0, 128));
}

/** What callers hold, without their names: those are many, and personal. */
function sharesFamilies(shares: readonly Shares[]): Family[] {
  if (shares.length === 0) return [];
  const samples = (read: (each: Shares) => number): Sample[] =>
    shares.map((each) => ({ labels: { resource: each.what }, value: read(each) }));
  return [
    ...familiesOf("gauge", [
      ["biplane_held", "What all callers hold", samples(({ total }) => total)],
      ["biplane_held_largest", "What the caller who holds most holds", samples(({ largest }) => largest)],
      ["biplane_held_limit", "The limit for all callers together", samples(({ limits }) => limits.total)],
    ]),
    ...familiesOf("counter", [
      [
        "biplane_held_refused_total",
        "How often a limit of a caller or of all refused more",
        samples(({ refused }) => refused),
      ],
    ]),
  ];
}
