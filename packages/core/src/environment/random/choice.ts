import { drawUpTo } from "./bounded.ts";
import type { Pcg64 } from "./pcg64.ts";

export type ChoiceOptions = {
  /** One probability per member, with sum 1. */
  p?: readonly number[] | undefined;
  /** Whether a member can be drawn again (default: true). */
  replace?: boolean | undefined;
  /** False skips shuffling a sample without replacement: its members are random, their order is not. */
  shuffle?: boolean | undefined;
};

export type ManyOptions = ChoiceOptions & {
  /** How many to draw. */
  size: number;
};

/** One index below `population`, like numpy's `Generator.choice` without a size. */
export function chooseIndex(bits: Pcg64, population: number, p: readonly number[] | undefined): number {
  checkSizes(population, 1);
  if (!p) return drawUpTo(bits, population - 1);
  checkProbabilities(p, population);
  return drawWeighted(bits, p, 1)[0] as number;
}

/** `size` indexes below `population`, like numpy's `Generator.choice`. */
export function chooseIndexes(bits: Pcg64, population: number, options: ManyOptions): number[] {
  const { size, p, replace = true, shuffle = true } = options;
  checkSizes(population, size);
  if (p) checkProbabilities(p, population);
  if (replace) return p ? drawWeighted(bits, p, size) : drawAny(bits, population, size);
  if (size > population) throw new RangeError(`Cannot choose ${size} of ${population} without replacement.`);
  if (p) return drawWeightedOnce(bits, p, size);
  const shuffleWholeFrom = Math.floor(population / (shuffle ? 50 : 20));
  if (population > 10_000 && size > shuffleWholeFrom) return drawTail(bits, population, size);
  return drawDistinct(bits, population, { size, shuffle });
}

function checkSizes(population: number, size: number): void {
  if (!Number.isSafeInteger(population)) throw new RangeError(`Cannot choose from ${population}: not a whole number.`);
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`The size of a choice cannot be ${size}.`);
  if (population <= 0 && size > 0) throw new RangeError("Cannot choose from nothing.");
}

function checkProbabilities(p: readonly number[], population: number): void {
  if (p.length !== population) throw new RangeError(`Got ${p.length} probabilities for ${population} members.`);
  if (p.some((probability) => !(probability >= 0))) throw new RangeError("A probability is negative or not a number.");
  const sum = compensatedSum(p);
  if (!(Math.abs(sum - 1) <= Math.sqrt(Number.EPSILON))) throw new RangeError(`Probabilities add up to ${sum}, not 1.`);
}

/** Kahan summation, so the check accepts exactly what numpy accepts. */
function compensatedSum(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const term = value - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
  }
  return sum;
}

function drawAny(bits: Pcg64, population: number, size: number): number[] {
  const indexes: number[] = [];
  while (indexes.length < size) indexes.push(drawUpTo(bits, population - 1));
  return indexes;
}

function drawWeighted(bits: Pcg64, p: readonly number[], size: number): number[] {
  const bounds = cumulate(p);
  const indexes: number[] = [];
  while (indexes.length < size) indexes.push(findAbove(bounds, bits.nextDouble()));
  return indexes;
}

/** Draws the missing number of indexes, keeps the first of each, and repeats without those found. */
function drawWeightedOnce(bits: Pcg64, p: readonly number[], size: number): number[] {
  const possible = p.filter((probability) => probability > 0).length;
  if (possible < size) throw new RangeError(`Only ${possible} members have a probability above 0, ${size} were asked.`);
  const left = [...p];
  const found = new Set<number>();
  while (found.size < size) {
    for (const index of drawWeighted(bits, left, size - found.size)) found.add(index);
    for (const index of found) left[index] = 0;
  }
  return [...found];
}

function cumulate(p: readonly number[]): number[] {
  const sums: number[] = [];
  let sum = 0;
  for (const probability of p) {
    sum += probability;
    sums.push(sum);
  }
  return sums.map((bound) => bound / sum);
}

/** The first index whose bound is above `value`, like numpy's `searchsorted(side="right")`. */
function findAbove(bounds: readonly number[], value: number): number {
  let from = 0;
  let to = bounds.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((bounds[middle] ?? 1) > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Shuffles the end of the whole population and takes it. */
function drawTail(bits: Pcg64, population: number, size: number): number[] {
  const indexes = Array.from({ length: population }, (_, index) => index);
  swapDown(bits, indexes, Math.max(population - size, 1));
  return indexes.slice(population - size);
}

/** Floyd's algorithm: one draw per member of the sample. */
function drawDistinct(bits: Pcg64, population: number, options: { size: number; shuffle: boolean }): number[] {
  const found = new Set<number>();
  for (let last = population - options.size; last < population; last++) {
    const index = drawUpTo(bits, last);
    found.add(found.has(index) ? last : index);
  }
  const indexes = [...found];
  if (options.shuffle) swapDown(bits, indexes, 1);
  return indexes;
}

/** Unlike numpy's `shuffle`, its `choice` draws swap positions by multiplication, not by mask. */
function swapDown(bits: Pcg64, indexes: number[], first: number): void {
  for (let here = indexes.length - 1; here >= first; here--) {
    const there = drawUpTo(bits, here);
    const moved = indexes[here] as number;
    indexes[here] = indexes[there] as number;
    indexes[there] = moved;
  }
}
