import { drawBigUpTo, drawMaskedUpTo, drawUpTo } from "./bounded.ts";
import { chooseIndex, chooseIndexes, type ChoiceOptions, type ManyOptions } from "./choice.ts";
import { drawNormal } from "./normal.ts";
import { type Pcg64, seedPcg64 } from "./pcg64.ts";
import { type RandomState, loadState, saveState } from "./random-state.ts";
import type { Seed } from "./seed.ts";

/**
 * Draws the same numbers as `numpy.random.default_rng(seed)` and gymnasium's `np_random(seed)`, bit for bit, so that an
 * environment plays the episodes of its original. No library for JavaScript does.
 */
export function createRandom(seed?: Seed): Random {
  return new Random(seedPcg64(seed));
}

/** Continues exactly where `save()` was called. */
export function restoreRandom(state: RandomState): Random {
  return new Random(loadState(state));
}

type IntegersOptions = {
  /** Whether `high` itself can be drawn (default: false). */
  endpoint?: boolean | undefined;
};

/** Each method matches the method of numpy's Generator with the same name. */
export class Random {
  readonly #bits: Pcg64;

  constructor(bits: Pcg64) {
    this.#bits = bits;
  }

  /** A double in [0, 1). */
  random(): number {
    return this.#bits.nextDouble();
  }

  /** A double in [low, high). */
  uniform(low = 0, high = 1): number {
    const range = high - low;
    if (!(range >= 0 && range < Infinity)) throw new RangeError(`Cannot draw between ${low} and ${high}.`);
    return low + range * this.#bits.nextDouble();
  }

  /** An integer in [low, high), or in [0, low) with one argument. Bigints cover all of int64 and uint64. */
  integers(low: number, high?: number, options?: IntegersOptions): number;
  integers(low: bigint, high?: bigint, options?: IntegersOptions): bigint;
  integers(low: number | bigint, high?: number | bigint, options?: IntegersOptions): number | bigint {
    const [first, end] = high === undefined ? [typeof low === "bigint" ? 0n : 0, low] : [low, high];
    const endpoint = options?.endpoint ?? false;
    if (typeof first === "number" && typeof end === "number") {
      const last = endpoint ? end : end - 1;
      checkRange(first, last);
      return first + drawUpTo(this.#bits, last - first);
    }
    if (typeof first === "bigint" && typeof end === "bigint") {
      const last = endpoint ? end : end - 1n;
      checkBigRange(first, last);
      return first + drawBigUpTo(this.#bits, last - first);
    }
    throw new TypeError("The bounds of integers are two numbers or two bigints.");
  }

  /** A member of a list, or an integer below a count. With `size`, an array of them. */
  choice(from: number, options: ManyOptions): number[];
  choice<Member>(from: readonly Member[], options: ManyOptions): Member[];
  choice(from: number, options?: ChoiceOptions & { size?: undefined }): number;
  choice<Member>(from: readonly Member[], options?: ChoiceOptions & { size?: undefined }): Member;
  choice(from: number | readonly unknown[], options?: ChoiceOptions & { size?: number | undefined }): unknown {
    const population = typeof from === "number" ? from : from.length;
    if (options?.size === undefined) {
      const index = chooseIndex(this.#bits, population, options?.p);
      return typeof from === "number" ? index : from[index];
    }
    const indexes = chooseIndexes(this.#bits, population, { ...options, size: options.size });
    return typeof from === "number" ? indexes : indexes.map((index) => from[index]);
  }

  /** An index of `p`, like gymnasium's `categorical_sample`: 0 if the sum stays below the draw. */
  categorical(p: readonly number[]): number {
    if (p.length === 0) throw new RangeError("Cannot draw from no probabilities.");
    const draw = this.#bits.nextDouble();
    let sum = 0;
    for (let index = 0; index < p.length; index++) {
      sum += p[index] as number;
      if (sum > draw) return index;
    }
    return 0;
  }

  /** Shuffles the list in place. */
  shuffle(list: unknown[]): void {
    for (let here = list.length - 1; here > 0; here--) {
      const there = drawMaskedUpTo(this.#bits, here);
      const moved = list[here];
      list[here] = list[there];
      list[there] = moved;
    }
  }

  /** A shuffled copy of the list, or of the integers below a count. */
  permutation(of: number): number[];
  permutation<Member>(of: readonly Member[]): Member[];
  permutation(of: number | readonly unknown[]): unknown[] {
    if (typeof of === "number") checkRange(0, of);
    const list = typeof of === "number" ? Array.from({ length: of }, (_, index) => index) : [...of];
    this.shuffle(list);
    return list;
  }

  standardNormal(): number {
    return drawNormal(this.#bits);
  }

  normal(mean = 0, deviation = 1): number {
    if (!(deviation >= 0)) throw new RangeError(`A standard deviation cannot be ${deviation}.`);
    return mean + deviation * drawNormal(this.#bits);
  }

  /** Half of a 64-bit draw. The other half serves the next 32-bit draw of any method. */
  nextUint32(): number {
    return this.#bits.nextUint32();
  }

  nextUint64(): bigint {
    return this.#bits.nextUint64();
  }

  /** The complete state as plain JSON. */
  save(): RandomState {
    return saveState(this.#bits);
  }
}

function checkRange(first: number, last: number): void {
  if (!(Number.isSafeInteger(first) && Number.isSafeInteger(last) && Number.isSafeInteger(last - first))) {
    throw new RangeError(`Integers from ${first} to ${last} exceed 2^53 or are fractions. Use bigints.`);
  }
  if (first > last) throw new RangeError(`There is no integer from ${first} to ${last}.`);
}

function checkBigRange(first: bigint, last: bigint): void {
  if (first > last) throw new RangeError(`There is no integer from ${first} to ${last}.`);
  const isInt64 = first >= -(2n ** 63n) && last < 2n ** 63n;
  const isUint64 = first >= 0n && last < 2n ** 64n;
  if (!isInt64 && !isUint64) throw new RangeError(`From ${first} to ${last} fits neither int64 nor uint64.`);
}
