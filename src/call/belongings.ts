/** Something kept with an episode: it ends with it, and is part of its snapshots where it can be saved. */
export interface Belonging {
  /** As plain data. */
  save?(): Promise<unknown>;
  close(): Promise<void>;
}

/** What others keep with an episode, by name. */
export class Belongings {
  readonly #held = new Map<string, Promise<Belonging>>();
  readonly #saved: Map<string, unknown>;

  constructor(saved: Readonly<Record<string, unknown>> = {}) {
    this.#saved = new Map(Object.entries(saved));
  }

  /** The thing of that name: made when it is first asked for, from what a snapshot had of it. */
  get<T extends Belonging>(name: string, make: (saved: unknown) => Promise<T>): Promise<T> {
    const held = this.#held.get(name);
    if (held) return held as Promise<T>;
    const making = make(this.#saved.get(name));
    this.#held.set(name, making);
    making.then(
      () => this.#saved.delete(name),
      () => this.#held.delete(name),
    );
    return making;
  }

  /** What can be saved, as plain data. */
  async save(): Promise<Record<string, unknown>> {
    const saved = Object.fromEntries(this.#saved);
    for (const [name, making] of this.#held) {
      const held = await making;
      if (held.save) saved[name] = await held.save();
    }
    return saved;
  }

  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const making of held)
      await making.then(
        (each) => each.close(),
        () => undefined,
      );
  }
}
