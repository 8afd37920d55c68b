/**
 * Shares the event loop between callers. Work that arrives together is done for some milliseconds in each turn of the
 * loop, one piece of each caller after the other. So a caller waits for one piece of every other, however many they
 * have. Calls that read files or the store need several turns of the loop. So while there are several callers, one that
 * took longer than a turn then leaves the loop to the others for twice that time, up to a limit.
 */
class LoopTurns {
  readonly #waiting = new Map<unknown, Pending>();
  /** Those that are at work, or leave the loop to others. */
  readonly #resting = new Map<unknown, Pending>();
  /** When the time of this turn is over. Undefined before its first piece of work. */
  #endsAt: number | undefined;
  #lastSeen: string | undefined;
  #isSharedUntil = 0;

  /** Notes that this caller is active. */
  seen(id: string): void {
    if (id === this.#lastSeen) return;
    const isFirst = this.#lastSeen === undefined;
    this.#lastSeen = id;
    if (!isFirst) this.#isSharedUntil = performance.now() + activeMs;
  }

  /** Does the work at once if nobody waits and this turn has time left. Otherwise in its caller's turn. */
  run(caller: unknown, work: Work): void {
    const isFree = this.#waiting.size === 0 && !this.#resting.has(caller) && !this.#isOver();
    if (isFree) this.#do(caller, { works: [work], usedMs: 0 });
    else this.add(caller, work);
  }

  /** Does the work in its caller's turn. */
  add(caller: unknown, work: Work): void {
    const pending = this.#resting.get(caller) ?? this.#waiting.get(caller);
    if (pending) pending.works.push(work);
    else this.#wait(caller, { works: [work], usedMs: 0 });
  }

  /** Resolves in the caller's turn. What is done then takes the rest of this turn. */
  next(caller: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.add(caller, () => {
        this.#endsAt = 0;
        resolve();
      });
    });
  }

  #wait(caller: unknown, pending: Pending): void {
    this.#isOver(); // so that the next turn comes
    this.#waiting.set(caller, pending);
  }

  #isOver(): boolean {
    if (this.#endsAt !== undefined) return performance.now() >= this.#endsAt;
    this.#endsAt = performance.now() + turnMs;
    setImmediate(this.#next);
    return false;
  }

  readonly #next = (): void => {
    this.#endsAt = undefined;
    for (const [caller, pending] of this.#waiting) {
      if (this.#isOver()) return;
      this.#waiting.delete(caller);
      this.#do(caller, pending);
    }
  };

  /** Does the first of the caller's works. */
  #do(caller: unknown, pending: Pending): void {
    this.#resting.set(caller, pending);
    const startedAt = performance.now();
    try {
      pending.works.shift()?.();
    } finally {
      pending.usedMs += performance.now() - startedAt;
      if (this.#mustRest(pending)) this.#rest(caller, pending);
      else this.#goOn(caller, pending);
    }
  }

  /** True if the caller must leave the loop to others. What it does while there are none is not held against it. */
  #mustRest(pending: Pending): boolean {
    if (performance.now() >= this.#isSharedUntil) pending.usedMs = 0;
    return pending.usedMs > turnMs;
  }

  #rest(caller: unknown, pending: Pending): void {
    setTimeout(() => this.#goOn(caller, pending), Math.min(pending.usedMs * 2, maxRestMs));
    pending.usedMs = 0;
  }

  #goOn(caller: unknown, pending: Pending): void {
    this.#resting.delete(caller);
    if (pending.works.length > 0) this.#wait(caller, pending); // behind the others
  }
}

type Work = () => void;

/** The work of a caller. */
interface Pending {
  readonly works: Work[];
  /** The time that it took since the caller last left the loop to others. */
  usedMs: number;
}

const turnMs = 3;

/** A call that takes long once, such as one of a slow tool, keeps its caller waiting for no longer than this. */
const maxRestMs = 200;

/** A caller counts as active for this long. */
const activeMs = 1000;

export const loopTurns = new LoopTurns();
