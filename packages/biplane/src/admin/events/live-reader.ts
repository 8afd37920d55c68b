import type { EventWriter } from "@biplane/core/internal";
import { callMatcher } from "../calls/call-filter.ts";
import type { CallFilter } from "../calls/call-filter.ts";
import type { CallLog } from "../calls/call-log.ts";
import { callSummary } from "../calls/call-view.ts";
import type { LiveEvents, ModuleState } from "./event-api.ts";
import type { LiveStats } from "../overview/live-stats.ts";
import type { ApprovalWatch, LiveBus } from "./live-bus.ts";

export type Topic = keyof LiveEvents;

export interface LiveSources {
  readonly log: CallLog;
  readonly bus: LiveBus;
  readonly figures: LiveStats;
  readonly approvals: ApprovalWatch;
  /** Reload state of a module under development. */
  readonly module?: (() => ModuleState) | undefined;
}

export interface LivePace {
  /** Time between two samples of calls. */
  readonly callsMs: number;
  /** Maximum calls per sample. */
  readonly maxCalls: number;
  /** How far back the first sample reaches, so that it continues a list that was just read. */
  readonly recentMs: number;
  readonly figuresMs: number;
  /** How often the reader's rights are checked. */
  readonly recheckMs: number;
  /** How long a slow reader is tolerated before it is disconnected. */
  readonly slowMs: number;
}

export interface LiveReaderOptions {
  readonly topics: readonly Topic[];
  readonly filter: CallFilter;
  readonly pace: LivePace;
  /** False once the reader has lost its rights. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/**
 * One event stream. Nothing is buffered for a slow reader: it learns how much it missed, and is disconnected after a
 * while.
 */
export class LiveReader {
  readonly #writer: EventWriter;
  readonly #pace: LivePace;
  readonly #stops: (() => void)[] = [];
  #slowSince: number | undefined;
  #hasEnded = false;

  constructor(
    writer: EventWriter,
    sources: LiveSources,
    { topics, filter, pace, isStillAllowed: mayStill }: LiveReaderOptions,
  ) {
    this.#writer = writer;
    this.#pace = pace;
    for (const topic of topics) this.#follow(topic, sources, filter);
    this.#every(pace.recheckMs, async () => {
      if (!(await mayStill())) this.end();
    });
  }

  /** Ends the stream from the server's side. */
  end(): void {
    this.stop();
    this.#writer.end();
  }

  /** Cleans up after the reader has disconnected. */
  stop(): void {
    this.#hasEnded = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #follow(topic: Topic, sources: LiveSources, filter: CallFilter): void {
    const { log, bus, figures, approvals, module } = sources;
    const { callsMs, maxCalls, recentMs, figuresMs } = this.#pace;
    switch (topic) {
      case "figures": {
        const send = async () => this.#send("figures", await figures.read());
        void send();
        return this.#every(figuresMs, send);
      }
      case "calls": {
        const sample = callSampler(log, filter, recentMs);
        return this.#every(callsMs, () => {
          const calls = sample(this.#slowSince === undefined ? maxCalls : 0);
          if (calls) this.#send("calls", calls);
        });
      }
      case "approvals":
        void figures.waiting().then(
          (waiting) => this.#send("approvals", { waiting, answered: [] }),
          () => undefined,
        );
        this.#stops.push(approvals.watch());
        break;
      case "module":
        if (module) this.#send("module", module());
        break;
      case "episodes":
      case "runs": {
        const recent = bus.recent(topic);
        if (recent) this.#send(topic, recent);
      }
    }
    this.#stops.push(bus.subscribe(topic, (data) => this.#send(topic, data)));
  }

  #send<T extends Topic>(topic: T, data: LiveEvents[T]): void {
    if (this.#hasEnded) return;
    if (this.#writer.send(topic, data)) {
      this.#slowSince = undefined;
      return;
    }
    const now = performance.now();
    this.#slowSince ??= now;
    if (now - this.#slowSince > this.#pace.slowMs) this.end();
  }

  /** Ignore failures, such as a store that is closing. */
  #every(ms: number, work: () => void | Promise<void>): void {
    const timer = setInterval(() => void Promise.resolve(work()).catch(() => undefined), ms).unref();
    this.#stops.push(() => clearInterval(timer));
  }
}

/**
 * Samples the calls since the last sample, and at first those of the last `recentMs`: the newest few, in order of
 * completion. Watching adds no cost per call.
 */
function callSampler(
  log: CallLog,
  filter: CallFilter,
  recentMs: number,
): (maxCalls: number) => LiveEvents["calls"] | undefined {
  const fits = callMatcher(filter);
  let position = log.position;
  let from = log.positionAt(recentMs);
  return (maxCalls) => {
    if (log.position === from) return undefined;
    const { calls } = log.since(from, fits, maxCalls);
    const { skipped } = log.since(position, fits, maxCalls);
    from = position = log.position;
    if (calls.length === 0 && skipped === 0) return undefined;
    return { calls: calls.reverse().map(callSummary), skipped };
  };
}
