import type { BiplaneError } from "../errors.ts";
import { refusal } from "./refusal.ts";

export interface ShareLimits {
  /** What one caller can hold. */
  readonly perCaller: number;
  /** What all callers together can hold. */
  readonly total: number;
}

/** Counts what callers hold of one resource, such as bytes or places in a queue, and limits it. */
export class Shares {
  /** What is counted, in the plural: `bytes of code state`. */
  readonly what: string;
  /** Lower limits take nothing away. They refuse more. */
  limits: ShareLimits;
  readonly #held = new Map<string, number>();
  #total = 0;
  #refused = 0;

  constructor(what: string, limits: ShareLimits) {
    this.what = what;
    this.limits = limits;
  }

  /** What all callers hold now. */
  get total(): number {
    return this.#total;
  }

  /** What the caller who holds most holds now. */
  get largest(): number {
    return Math.max(0, ...this.#held.values());
  }

  /** What a caller holds now. */
  heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  /** How often a limit refused more. */
  get refused(): number {
    return this.#refused;
  }

  /** An empty share. Without a caller it belongs to this process itself, and only the total limits it. */
  open(caller: string | undefined): Share {
    return new Share((change) => this.#change(caller, change));
  }

  /** Takes a share at once. Throws `CAPACITY` above a limit. */
  take(caller: string | undefined, amount = 1): Share {
    const share = this.open(caller);
    const fault = share.resize(amount);
    if (fault) throw fault;
    return share;
  }

  #change(caller: string | undefined, change: number): BiplaneError | undefined {
    const { perCaller, total } = this.limits;
    const held = caller === undefined ? 0 : (this.#held.get(caller) ?? 0) + change;
    if (change > 0 && held > perCaller) return this.#refuse(`One caller can hold at most ${perCaller} ${this.what}.`);
    if (change > 0 && this.#total + change > total)
      return this.#refuse(`All callers together can hold at most ${total} ${this.what}.`);
    this.#total += change;
    if (caller !== undefined && held > 0) this.#held.set(caller, held);
    else if (caller !== undefined) this.#held.delete(caller);
    return undefined;
  }

  #refuse(why: string): BiplaneError {
    this.#refused++;
    return refusal("CAPACITY", `${why} Release some, or try again later.`);
  }
}

/** What one holder has of a resource. */
export class Share {
  readonly #change: (change: number) => BiplaneError | undefined;
  #amount = 0;

  constructor(change: (change: number) => BiplaneError | undefined) {
    this.#change = change;
  }

  /** Sets the amount. Returns the error and changes nothing if a limit is exceeded. Shrinking always succeeds. */
  resize(amount: number): BiplaneError | undefined {
    const fault = this.#change(amount - this.#amount);
    if (!fault) this.#amount = amount;
    return fault;
  }

  release(): void {
    this.resize(0);
  }
}
