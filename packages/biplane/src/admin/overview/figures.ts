import type { LiveCall } from "@biplane/core/internal";
import type { Figures } from "./overview-api.ts";

/** Counts calls per second for the last minute, and in total. */
export class CallFigures {
  readonly #now: () => number;
  readonly #calls = new Uint32Array(seconds);
  readonly #errors = new Uint32Array(seconds);
  readonly #asked = new Uint32Array(seconds);
  /** The current second. */
  #second: number;
  #allCalls = 0;
  #allErrors = 0;
  #allAsked = 0;
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
    const at = this.#second % seconds;
    this.#calls[at] = (this.#calls[at] ?? 0) + 1;
    this.#allCalls++;
    if (!isError) return;
    this.#errors[at] = (this.#errors[at] ?? 0) + 1;
    this.#allErrors++;
    if (!isAsked) return;
    this.#asked[at] = (this.#asked[at] ?? 0) + 1;
    this.#allAsked++;
  }

  /** Only complete seconds: an unfinished one would always look like a drop. */
  read(): CountedCalls {
    this.#advance();
    const minute = Array.from({ length: 60 }, (_, ago) => {
      const at = (this.#second - 60 + ago + seconds) % seconds;
      return { calls: this.#calls[at] ?? 0, errors: this.#errors[at] ?? 0, asked: this.#asked[at] ?? 0 };
    });
    let waiting = 0;
    for (const call of this.#underWay) if (call.isWaitingForPerson) waiting++;
    const recent = minute.slice(-averagedSeconds);
    const mean = (count: (second: { calls: number; errors: number }) => number) =>
      Math.round((recent.reduce((sum, second) => sum + count(second), 0) / averagedSeconds) * 10) / 10;
    return {
      callsPerSecond: mean(({ calls }) => calls),
      errorsPerSecond: mean(({ errors }) => errors),
      calls: this.#allCalls,
      errors: this.#allErrors,
      asked: this.#allAsked,
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
    for (let second = from + 1; second <= now; second++) {
      this.#calls[second % seconds] = 0;
      this.#errors[second % seconds] = 0;
      this.#asked[second % seconds] = 0;
    }
    this.#second = now;
  }

  #thisSecond(): number {
    return Math.floor(this.#now() / 1000);
  }
}

/** The figures that calls make. */
type CountedCalls = Omit<Figures, "at" | "approvalsWaiting" | "episodes" | "sessions">;

/** A minute plus the current second. */
const seconds = 61;
/** Seconds to average a rate over: fewer are noisy, more lag. */
const averagedSeconds = 5;
