import { getRandomValues } from "node:crypto";

/** A non-negative integer; from 2^53 on a bigint. Null or undefined: random. */
export type Seed = number | bigint | null | undefined;

/** The first `count` 32-bit words of numpy's `SeedSequence(seed).generate_state`. */
export function seedWords(seed: Seed, count: number): Uint32Array {
  const pool = mixEntropy(entropyWords(seed));
  const words = new Uint32Array(count);
  let multiplier = 0x8b51f9dd;
  for (let index = 0; index < count; index++) {
    const mixed = wordAt(pool, index % POOL_SIZE) ^ multiplier;
    multiplier = Math.imul(multiplier, 0x58f38ded);
    words[index] = foldHigh(Math.imul(mixed, multiplier));
  }
  return words;
}

const POOL_SIZE = 4;

/** The seed as 32-bit words, lowest first. */
function entropyWords(seed: Seed): ArrayLike<number> {
  if (seed === undefined || seed === null) return getRandomValues(new Uint32Array(POOL_SIZE));
  if (typeof seed === "bigint" && seed >= 0n) return bigWords(seed);
  if (typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0) {
    return seed < 2 ** 32 ? [seed] : [seed % 2 ** 32, Math.floor(seed / 2 ** 32)];
  }
  throw badSeed(seed);
}

function bigWords(seed: bigint): number[] {
  const words: number[] = [];
  for (let rest = seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
  return words;
}

function badSeed(seed: unknown): RangeError {
  if (Number.isInteger(seed) && Number(seed) > 0) return new RangeError("A seed of 2^53 or more must be a bigint.");
  const shown = typeof seed === "string" ? JSON.stringify(seed) : String(seed);
  return new RangeError(`A seed must be a non-negative integer, not ${shown} (${typeof seed}).`);
}

function mixEntropy(entropy: ArrayLike<number>): Int32Array {
  const pool = new Int32Array(POOL_SIZE);
  let multiplier = 0x43b0d7e5;
  const hash = (word: number) => {
    const mixed = word ^ multiplier;
    multiplier = Math.imul(multiplier, 0x931e8875);
    return foldHigh(Math.imul(mixed, multiplier));
  };
  const stir = (word: number, target: number) => {
    const difference = Math.imul(0xca01f9dd, wordAt(pool, target)) - Math.imul(0x4973f715, hash(word));
    pool[target] = foldHigh(difference | 0);
  };

  for (let target = 0; target < POOL_SIZE; target++) pool[target] = hash(wordAt(entropy, target));
  for (let source = 0; source < POOL_SIZE; source++) {
    for (let target = 0; target < POOL_SIZE; target++) {
      if (source !== target) stir(wordAt(pool, source), target);
    }
  }
  for (let source = POOL_SIZE; source < entropy.length; source++) {
    for (let target = 0; target < POOL_SIZE; target++) stir(wordAt(entropy, source), target);
  }
  return pool;
}

/** Pads short seeds with zeros. */
function wordAt(words: ArrayLike<number>, index: number): number {
  return words[index] ?? 0;
}

function foldHigh(word: number): number {
  return word ^ (word >>> 16);
}
