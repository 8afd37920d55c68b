/** Something that lives as long as an episode. If it has `save`, snapshots include it. */
export interface EpisodeResource {
  /** Returns plain data. */
  save?(): Promise<unknown>;
  close(): Promise<void>;
}

/** The resources of one episode, by name. */
export class EpisodeResources {
  readonly #held = new Map<string, Promise<EpisodeResource>>();
  readonly #saved: Map<string, unknown>;

  constructor(saved: Readonly<Record<string, unknown>> = {}) {
    this.#saved = new Map(Object.entries(saved));
  }

  /** True if there is nothing to save. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#saved.size === 0;
  }

  /** Returns the resource, creating it on first use from its saved data, if any. */
  get<T extends EpisodeResource>(name: string, make: (saved: unknown) => Promise<T>): Promise<T> {
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
