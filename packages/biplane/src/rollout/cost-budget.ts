import { BiplaneError } from "@biplane/core";

/** What all models of a run may cost together. Requests that run when it is spent are cancelled. */
export class CostBudget {
  readonly maxCost: number;
  readonly #spentOut = new AbortController();
  #spent = 0;

  constructor(maxCost: number) {
    if (!(maxCost > 0)) throw new BiplaneError("INVALID_DEFINITION", `A budget must be above 0, not ${maxCost}.`);
    this.maxCost = maxCost;
  }

  /** In dollars. */
  get spent(): number {
    return this.#spent;
  }

  /** Aborts when the budget is spent. */
  get signal(): AbortSignal {
    return this.#spentOut.signal;
  }

  add(cost: number): void {
    this.#spent += cost;
    if (this.#spent >= this.maxCost && !this.signal.aborted) this.#spentOut.abort(this.#error());
  }

  /** Throws if the budget is spent. */
  check(): void {
    if (this.signal.aborted) throw this.#error();
  }

  #error(): BiplaneError {
    return new BiplaneError("CAPACITY", `The budget of $${this.maxCost} is spent.`);
  }
}
