import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Family } from "./exposition.ts";

/**
 * How the process is. The names are the usual ones, so that dashboards made for Node fit. Event loop lag is what it
 * was since the last time of asking; it is watched from the first time on.
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
      gauge("biplane_uptime_seconds", "Seconds since metrics were first kept", (this.#now() - this.#startedAt) / 1000),
      gauge("process_resident_memory_bytes", "Memory the process holds", rss),
      gauge("nodejs_heap_size_used_bytes", "Heap in use", heapUsed),
      gauge("nodejs_heap_size_total_bytes", "Heap set aside", heapTotal),
      {
        name: "process_cpu_seconds_total",
        help: "Processor time spent",
        type: "counter",
        samples: [{ value: (user + system) / 1e6 }],
      },
      gauge("nodejs_eventloop_lag_mean_seconds", "How late timers were since the last scrape, on average", mean),
      gauge("nodejs_eventloop_lag_p99_seconds", "How late timers were since the last scrape, 99 in 100", p99),
      gauge("nodejs_eventloop_lag_max_seconds", "How late timers were since the last scrape, at worst", max),
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
        : { mean: late(delay.mean), p99: late(delay.percentile(99)), max: late(delay.max) };
    delay.reset();
    return lag;
  }
}

const resolutionMs = 20;

/** The histogram holds whole intervals in nanoseconds; what is beyond the interval is lag. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: "gauge", samples: [{ value }] };
}
