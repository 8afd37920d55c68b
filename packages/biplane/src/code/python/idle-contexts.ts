/** A context whose interpreter does nothing. */
interface IdleContext {
  /** Undefined for this process itself. */
  readonly caller: string | undefined;
  /** Saves the state and gives the interpreter back. */
  park(): void;
}

/**
 * The contexts that hold an interpreter between actions, least recently used first. An interpreter takes 50 MB and more,
 * its saved state a few, so only some contexts keep theirs. The caller with the most loses one first.
 */
export class IdleContexts {
  readonly #maxIdle: number;
  readonly #contexts = new Set<IdleContext>();

  constructor(maxIdle: number) {
    this.#maxIdle = maxIdle;
  }

  add(context: IdleContext): void {
    this.delete(context);
    this.#contexts.add(context);
    if (this.#contexts.size <= this.#maxIdle) return;
    const parked = this.#next();
    this.#contexts.delete(parked);
    parked.park();
  }

  delete(context: IdleContext): void {
    this.#contexts.delete(context);
  }

  /** The oldest context of the caller that has the most. */
  #next(): IdleContext {
    const counts = new Map<string | undefined, number>();
    for (const { caller } of this.#contexts) counts.set(caller, (counts.get(caller) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return Array.from(this.#contexts).find(({ caller }) => counts.get(caller) === most) as IdleContext;
  }
}
