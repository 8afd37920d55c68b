import type { EventLine } from "../server/doors.ts";
import type { CallFilter } from "./call-filter.ts";
import type { CallLog } from "./call-log.ts";
import type { LiveEvents, ModuleState } from "./contract.ts";
import type { FiguresDesk } from "./figures-desk.ts";
import type { ApprovalWatch } from "./live-approvals.ts";
import type { LiveBus } from "./live-bus.ts";
import { callSampler } from "./live-sampler.ts";

export type Topic = keyof LiveEvents;

export interface LiveSources {
  readonly log: CallLog;
  readonly bus: LiveBus;
  readonly figures: FiguresDesk;
  readonly approvals: ApprovalWatch;
  /** Where a module is being written: how it stands. */
  readonly module?: (() => ModuleState) | undefined;
}

export interface LivePace {
  /** Between two samples of calls. */
  readonly callsMs: number;
  /** How many calls a sample has at most. */
  readonly mostCalls: number;
  /** How old the calls of the first sample may be: a list that was read just before is continued without a gap. */
  readonly recentMs: number;
  readonly figuresMs: number;
  /** How often it is asked whether the reader may still read. */
  readonly recheckMs: number;
  /** How long a reader may be slow before it is let go. */
  readonly slowMs: number;
}

export interface ReaderOptions {
  readonly topics: readonly Topic[];
  readonly filter: CallFilter;
  readonly pace: LivePace;
  /** Whether whoever reads may still do so. */
  readonly mayStill: () => Promise<boolean>;
}

/** One who reads events. Nothing is kept for a slow one: it is told how much it missed, and after a while let go. */
export class LiveReader {
  readonly #line: EventLine;
  readonly #pace: LivePace;
  readonly #stops: (() => void)[] = [];
  #slowSince: number | undefined;
  #isOver = false;

  constructor(line: EventLine, sources: LiveSources, { topics, filter, pace, mayStill }: ReaderOptions) {
    this.#line = line;
    this.#pace = pace;
    for (const topic of topics) this.#follow(topic, sources, filter);
    this.#every(pace.recheckMs, async () => {
      if (!(await mayStill())) this.end();
    });
  }

  /** From our side. */
  end(): void {
    this.stop();
    this.#line.end();
  }

  /** The reader has gone. */
  stop(): void {
    this.#isOver = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #follow(topic: Topic, sources: LiveSources, filter: CallFilter): void {
    const { log, bus, figures, approvals, module } = sources;
    const { callsMs, mostCalls, recentMs, figuresMs } = this.#pace;
    switch (topic) {
      case "figures": {
        const tell = async () => this.#send("figures", await figures.read());
        void tell();
        return this.#every(figuresMs, tell);
      }
      case "calls": {
        const sample = callSampler(log, filter, recentMs);
        return this.#every(callsMs, () => {
          const calls = sample(this.#slowSince === undefined ? mostCalls : 0);
          if (calls) this.#send("calls", calls);
        });
      }
      case "approvals":
        void figures.waiting().then(
          (waiting) => this.#send("approvals", { waiting }),
          () => undefined,
        );
        this.#stops.push(bus.subscribe("approvals", (data) => this.#send("approvals", data)));
        this.#stops.push(approvals.watch());
        return;
      case "module":
        if (module) this.#send("module", module());
        this.#stops.push(bus.subscribe("module", (data) => this.#send("module", data)));
        return;
      case "episodes":
      case "runs": {
        const recent = bus.recent(topic);
        if (recent) this.#send(topic, recent);
        this.#stops.push(bus.subscribe(topic, (data) => this.#send(topic, data)));
      }
    }
  }

  #send<T extends Topic>(topic: T, data: LiveEvents[T]): void {
    if (this.#isOver) return;
    if (this.#line.send(topic, data)) {
      this.#slowSince = undefined;
      return;
    }
    const now = performance.now();
    this.#slowSince ??= now;
    if (now - this.#slowSince > this.#pace.slowMs) this.end();
  }

  /** A look that fails, as when the store is closing, is a look less. */
  #every(ms: number, work: () => void | Promise<void>): void {
    const timer = setInterval(() => void Promise.resolve(work()).catch(() => undefined), ms).unref();
    this.#stops.push(() => clearInterval(timer));
  }
}
