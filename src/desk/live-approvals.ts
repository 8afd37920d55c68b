import type { LiveBus } from "./live-bus.ts";

export interface WaitingApprovals {
  waiting(): Promise<number>;
  onChange(listener: () => void): () => void;
}

/** Tells how many calls wait for a person, when the queue changes, for as long as somebody looks. */
export class ApprovalWatch {
  readonly #approvals: WaitingApprovals | undefined;
  readonly #bus: LiveBus;
  readonly #pollMs: number;
  #watchers = 0;
  #stop: (() => void) | undefined;
  #told: number | undefined;

  constructor(approvals: WaitingApprovals | undefined, bus: LiveBus, pollMs = 2000) {
    this.#approvals = approvals;
    this.#bus = bus;
    this.#pollMs = pollMs;
  }

  /** Somebody looks, until the returned function is called. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#watchers === 0) this.#stop?.();
    };
  }

  #start(): void {
    if (!this.#approvals) return;
    // One may have gone as another came: a change here is always told.
    const stopListening = this.#approvals.onChange(() => void this.#look({ isChanged: true }));
    // Other processes on the same store have calls that wait too.
    const timer = setInterval(() => void this.#look(), this.#pollMs).unref();
    this.#stop = () => {
      stopListening();
      clearInterval(timer);
      this.#told = undefined;
    };
    void this.#look();
  }

  async #look({ isChanged = false } = {}): Promise<void> {
    const waiting = await this.#approvals?.waiting().catch(() => undefined); // the store may be closing
    if (waiting === undefined || (waiting === this.#told && !isChanged)) return;
    this.#told = waiting;
    this.#bus.publish("approvals", { waiting });
  }
}
