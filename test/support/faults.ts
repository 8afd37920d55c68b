/**
 * Collects what would end a real process: exceptions and rejections that nobody caught. While it is open it takes the
 * place of the test runner's own listeners, so that such a fault fails the test that caused it and no other.
 */
export function collectFaults(): Faults {
  return new Faults();
}

export class Faults implements AsyncDisposable {
  readonly seen: unknown[] = [];
  readonly #before = new Map<Event, NodeJS.UncaughtExceptionListener[]>();
  readonly #collect = (fault: unknown) => void this.seen.push(fault);

  constructor() {
    for (const event of events) {
      this.#before.set(event, listenersOf(event));
      process.removeAllListeners(event);
      process.on(event, this.#collect);
    }
  }

  /** What came up so far, after whatever is due has had its turn. */
  async settled(): Promise<readonly unknown[]> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    return this.seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
    for (const event of events) {
      process.off(event, this.#collect);
      for (const listener of this.#before.get(event) ?? []) process.on(event, listener);
    }
  }
}

function listenersOf(event: string): NodeJS.UncaughtExceptionListener[] {
  return (process as NodeJS.EventEmitter).listeners(event) as NodeJS.UncaughtExceptionListener[];
}

type Event = (typeof events)[number];
const events = ["uncaughtException", "unhandledRejection"] as const;
