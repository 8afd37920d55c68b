/** One at a time: whoever holds the turn may let one of its own in, everyone else waits in line. */
export class Turns {
  /** Who holds the turn, and within it whom. */
  readonly #holders: object[] = [];
  readonly #line: { readonly holder: object; readonly within: object | undefined; readonly go: () => void }[] = [];

  /** Takes the turn: at once where it is free, or where nobody else is within `within`; else when it comes. */
  take(holder: object, within?: object): void | Promise<void> {
    if (!this.#isFree(within)) return new Promise((go) => this.#line.push({ holder, within, go }));
    this.#holders.push(holder);
  }

  /** Gives it back, to the next in line. */
  give(holder: object): void {
    const at = this.#holders.lastIndexOf(holder);
    if (at < 0) return;
    this.#holders.splice(at, 1);
    const place = this.#line.findIndex(({ within }) => this.#isFree(within));
    const [next] = place < 0 ? [] : this.#line.splice(place, 1);
    if (!next) return;
    this.#holders.push(next.holder);
    next.go();
  }

  #isFree(within: object | undefined): boolean {
    const innermost = this.#holders.at(-1);
    return innermost === undefined || innermost === within;
  }
}
