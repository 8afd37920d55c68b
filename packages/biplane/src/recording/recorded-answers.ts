import type { Inventory } from "@biplane/core/internal";
import { CallIndex } from "./call-index.ts";
import type { CallNow } from "./call-index.ts";
import type { SessionCall } from "./format.ts";

/** Answers calls from a recording. Each caller gets the answers of a repeated call in their recorded order. */
export class RecordedAnswers {
  readonly #calls: readonly SessionCall[];
  readonly #index: CallIndex;
  /** By caller: how often each recorded call was answered. */
  readonly #callers = new Map<string, Map<number, number>>();

  constructor(calls: readonly SessionCall[], lists: Pick<Inventory, "tools">) {
    this.#calls = calls;
    this.#index = new CallIndex(calls, lists);
  }

  /** The next answer of a call; after the last one, the last again. Throws if there is none. */
  next(call: CallNow, caller: string): SessionCall {
    const found = this.#index.find(call);
    const [first] = found;
    if (first === undefined) throw this.#index.miss(call);
    const counts = this.#countsOf(caller);
    const count = counts.get(first) ?? 0;
    counts.set(first, count + 1);
    return this.#calls[found[Math.min(count, found.length - 1)] as number] as SessionCall;
  }

  #countsOf(caller: string): Map<number, number> {
    const counts = this.#callers.get(caller) ?? new Map<number, number>();
    this.#callers.delete(caller);
    this.#callers.set(caller, counts);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > maxCallers && oldest !== undefined) this.#callers.delete(oldest);
    return counts;
  }
}

/** A caller beyond these starts again with the first answers. */
const maxCallers = 1000;
