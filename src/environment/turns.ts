/** One at a time: whoever holds the turn may take it again, everyone else waits in line. */
export class Turns {
  #holder: object | undefined;
  #depth = 0;
  readonly #line: { readonly holder: object; readonly go: () => void }[] = [];

  /** Takes the turn: at once where it is free, else when it comes. */
  take(holder: object): void | Promise<void> {
    if (this.#holder !== undefined && this.#holder !== holder) {
      return new Promise((go) => this.#line.push({ holder, go }));
    }
    this.#holder = holder;
    this.#depth++;
  }

  /** Gives it back, to the next in line. */
  give(holder: object): void {
    if (this.#holder !== holder || --this.#depth > 0) return;
    const next = this.#line.shift();
    this.#holder = next?.holder;
    if (!next) return;
    this.#depth = 1;
    next.go();
  }
}
