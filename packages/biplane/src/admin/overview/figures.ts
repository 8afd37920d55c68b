import type { LiveCall } from "@biplane/core/internal";
import type { Figures } from "./overview-api.ts";

/** Counts calls per second for the last minute, and in total. */
export class CallFigures {
  readonly #now: () => number;
  readonly #counts = Array.from({ length: seconds }, () => ({ ...none }));
  readonly #all = { ...none };
  /** The current second. */
  #second: number;
  readonly #underWay = new Set<LiveCall>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#second = this.#thisSecond();
  }

  begin(call: LiveCall): void {
    this.#underWay.add(call);
  }

  leave(call: LiveCall): void {
    this.#underWay.delete(call);
  }

  /** A call that asks a person is an error to its caller. */
  end(isError: boolean, { isAsked = false }: { readonly isAsked?: boolean } = {}): void {
    this.#advance();
    const second = this.#of(this.#second);
    second.calls++;
    this.#all.calls++;
    if (!isError) return;
    second.errors++;
    this.#all.errors++;
    if (!isAsked) return;
    second.asked++;
    this.#all.asked++;
  }

  /** Only complete seconds: an unfinished one would always look like a drop. */
  read(): CountedCalls {
    this.#advance();
    const minute = Array.from({ length: 60 }, (_, ago) => ({ ...this.#of(this.#second - 60 + ago) }));
    let waiting = 0;
    for (const call of this.#underWay) if (call.isWaitingForPerson) waiting++;
    const recent = minute.slice(-averagedSeconds);
    const mean = (count: (second: Counts) => number) =>
      Math.round((recent.reduce((sum, second) => sum + count(second), 0) / averagedSeconds) * 10) / 10;
    return {
      callsPerSecond: mean(({ calls }) => calls),
      errorsPerSecond: mean(({ errors }) => errors),
      ...this.#all,
      running: this.#underWay.size - waiting,
      waiting,
      minute,
    };
  }

  /** Clears the seconds that have passed since. */
  #advance(): void {
    const now = this.#thisSecond();
    if (now === this.#second) return;
    // Keep counting when the clock is set back.
    const from = now > this.#second ? Math.max(this.#second, now - seconds) : now - 1;
    for (let second = from + 1; second <= now; second++) Object.assign(this.#of(second), none);
    this.#second = now;
  }

  #of(second: number): Counts {
    return this.#counts[(second + seconds) % seconds] as Counts;
  }

  #thisSecond(): number {
    return Math.floor(this.#now() / 1000);
  }
}

/** The figures that calls make. */
type CountedCalls = Omit<Figures, "at" | "approvalsWaiting" | "episodes" | "sessions">;

const none = { calls: 0, errors: 0, asked: 0 };
type Counts = typeof none;

/** A minute plus the current second. */
const seconds = 61;
/** Seconds to average a rate over: fewer are noisy, more lag. */
const averagedSeconds = 5;
