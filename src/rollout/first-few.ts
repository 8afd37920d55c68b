/** The first few of very many, whatever the order in which they come: a heap with the last of them on top. */
export class FirstFew {
  readonly #most: number;
  readonly #compare: (one: number, other: number) => number;
  readonly #heap: number[] = [];

  constructor(most: number, compare: (one: number, other: number) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** Whether it would be among them as they are now. */
  wants(item: number): boolean {
    return this.#heap.length < this.#most || this.#compare(item, this.#heap[0] ?? 0) < 0;
  }

  /** Takes one that is wanted; where that is one too many, the last goes. */
  add(item: number): void {
    if (this.#heap.length < this.#most) this.#rise(this.#heap.push(item) - 1);
    else {
      this.#heap[0] = item;
      this.#sink();
    }
  }

  sorted(): number[] {
    return this.#heap.toSorted(this.#compare);
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const above = (at - 1) >> 1;
      if (!this.#isLater(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let last = at;
      if (left < this.#heap.length && this.#isLater(left, last)) last = left;
      if (right < this.#heap.length && this.#isLater(right, last)) last = right;
      if (last === at) return;
      this.#swap(at, last);
      at = last;
    }
  }

  #isLater(one: number, other: number): boolean {
    return this.#compare(this.#heap[one] ?? 0, this.#heap[other] ?? 0) > 0;
  }

  #swap(one: number, other: number): void {
    const kept = this.#heap[one] ?? 0;
    this.#heap[one] = this.#heap[other] ?? 0;
    this.#heap[other] = kept;
  }
}
