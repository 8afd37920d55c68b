import type { AuditOutcome } from "../call/audit.ts";
import type { Measured, Meter } from "../call/meter.ts";
import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Route } from "../tool/call.ts";
import { CallSeries } from "./call-series.ts";
import { exposition } from "./exposition.ts";
import type { Family } from "./exposition.ts";
import { ProcessMetrics } from "./process-metrics.ts";

export interface MetricsOptions {
  /** How many pairs of tool and route are told apart; calls beyond that count under the tool `other`. */
  readonly maxSeries?: number;
  readonly now?: () => number;
}

/** Counts calls for Prometheus: `server.measure(metrics)`. Several servers may share one. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new Metrics(options);
}

export class Metrics implements Meter, Disposable {
  readonly #maxSeries: number;
  readonly #process: ProcessMetrics;
  /** By the name a call gave, then by its route. */
  readonly #byName = new Map<string, Map<Route, CallSeries>>();
  /** The same by the label it goes by: several odd names may share one. */
  readonly #byLabel = new Map<string, Map<Route, CallSeries>>();
  readonly #errors = new Map<ErrorCode, number>();
  readonly #gauges = new Map<string, Gauge>();
  #series = 0;

  constructor({ maxSeries = 500, now = Date.now }: MetricsOptions) {
    this.#maxSeries = maxSeries;
    this.#process = new ProcessMetrics(now);
  }

  end({ call, tool, outcome, durationMs }: Measured): void {
    let code: AuditOutcome;
    if (outcome.status === "failed") {
      ({ code } = outcome.error);
      this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
    } else code = outcome.status;
    // What does not exist is a name the caller made up, and there is no end to those.
    const name = tool ? call.tool : unknown;
    const series = this.#byName.get(name)?.get(call.route) ?? this.#find(name, call.route);
    series.add(code, durationMs);
  }

  /**
   * A number that is read when somebody asks for it. Several under one name are added up, so each part of the house
   * can bring its own. The returned function takes it away again.
   */
  gauge(name: GaugeName | (string & {}), read: () => number | Promise<number>, help?: string): () => void {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) {
      throw new BiplaneError("INVALID_DEFINITION", `a gauge cannot be called ${name}; use small letters and _`);
    }
    const known = help ?? (name in gaugeHelp ? gaugeHelp[name as GaugeName] : name);
    const gauge = this.#gauges.get(name) ?? { help: known, readers: new Set() };
    this.#gauges.set(name, gauge);
    gauge.readers.add(read);
    return () => void gauge.readers.delete(read);
  }

  /** All of it, as data. */
  async families(): Promise<Family[]> {
    const all = [...this.#byLabel.values()].flatMap((routes) => [...routes.values()]);
    return [
      {
        name: "biplane_calls_total",
        help: "Calls by tool, route and what they came to",
        type: "counter",
        samples: all.flatMap((series) => series.calls()),
      },
      {
        name: "biplane_errors_total",
        help: "Calls that failed, by code",
        type: "counter",
        samples: Array.from(this.#errors, ([code, value]) => ({ labels: { code }, value })),
      },
      {
        name: "biplane_rate_limited_total",
        help: "Calls that were one too many",
        type: "counter",
        samples: [{ value: this.#errors.get("RATE_LIMITED") ?? 0 }],
      },
      {
        name: "biplane_call_duration_seconds",
        help: "How long calls took, waiting for people included",
        type: "histogram",
        samples: all.flatMap((series) => series.durations()),
      },
      ...(await Promise.all(Array.from(this.#gauges, ([name, gauge]) => gaugeFamily(name, gauge)))),
      ...this.#process.families(),
    ];
  }

  /** All of it, in Prometheus' text format. */
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

/** The gauges a house has; others may be added under other names. */
export type GaugeName = keyof typeof gaugeHelp;

const gaugeHelp = {
  sessions: "MCP sessions that are open",
  episodes: "Episodes that are running",
  approvals_waiting: "Calls that wait for a person's answer",
};

interface Gauge {
  readonly help: string;
  readonly readers: Set<() => number | Promise<number>>;
}

/** A reader that fails says nothing rather than something wrong. */
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

/** A label of reasonable length with nothing in it that readers stumble over. */
function labelOf(name: string): string {
  return name.slice(0, 128).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}
