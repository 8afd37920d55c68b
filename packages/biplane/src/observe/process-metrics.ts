import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Family } from "./exposition.ts";

/**
 * Process metrics under the usual names, so that dashboards for Node work. Event loop lag is measured between scrapes,
 * from the first scrape on.
 */
export class ProcessMetrics {
  readonly #startedAt: number;
  readonly #now: () => number;
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  families(): Family[] {
    const { rss, heapUsed, heapTotal } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const { mean, p99, max } = this.#lag();
    return [
      gauge("biplane_uptime_seconds", "Seconds since metrics were created", (this.#now() - this.#startedAt) / 1000),
      gauge("process_resident_memory_bytes", "Resident memory", rss),
      gauge("nodejs_heap_size_used_bytes", "Heap in use", heapUsed),
      gauge("nodejs_heap_size_total_bytes", "Heap allocated", heapTotal),
      {
        name: "process_cpu_seconds_total",
        help: "CPU time used",
        type: "counter",
        samples: [{ value: (user + system) / 1e6 }],
      },
      gauge("nodejs_eventloop_lag_mean_seconds", "Mean event loop lag since the last scrape", mean),
      gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of event loop lag since the last scrape", p99),
      gauge("nodejs_eventloop_lag_max_seconds", "Maximum event loop lag since the last scrape", max),
    ];
  }

  close(): void {
    this.#delay?.disable();
    this.#delay = undefined;
  }

  #lag(): { mean: number; p99: number; max: number } {
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: resolutionMs });
      this.#delay.enable();
      return { mean: 0, p99: 0, max: 0 };
    }
    const delay = this.#delay;
    const lag =
      delay.count === 0
        ? { mean: 0, p99: 0, max: 0 }
        : { mean: lagSeconds(delay.mean), p99: lagSeconds(delay.percentile(99)), max: lagSeconds(delay.max) };
    delay.reset();
    return lag;
  }
}

const resolutionMs = 20;

/** The histogram counts whole intervals in nanoseconds. Lag is what exceeds the interval. */
function lagSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: "gauge", samples: [{ value }] };
}
