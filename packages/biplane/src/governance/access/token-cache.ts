/** What is known about tokens that were checked recently, by hash. */
export class TokenCache<Known> {
  readonly #known = new Map<string, { readonly value: Known; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  find(hash: string): Known | undefined {
    const found = this.#known.get(hash);
    if (!found || this.#now() < found.until) return found?.value;
    this.#known.delete(hash);
    return undefined;
  }

  add(hash: string, value: Known, until: number): void {
    if (this.#known.size >= 10_000) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(hash, { value, until });
  }
}
