import { type Seed, seedWords } from "./seed.ts";

/** A 128-bit number as 32-bit words, lowest first. */
export type Words = readonly [number, number, number, number];

/**
 * numpy's PCG64 bit generator: a 128-bit linear congruential state with the XSL-RR output.
 * Words are kept as signed 32-bit integers in fields that start as 0, which V8 stores without boxing.
 */
export class Pcg64 {
  /** The two halves of the last output, as signed 32-bit integers. */
  high = 0;
  low = 0;

  #state0 = 0;
  #state1 = 0;
  #state2 = 0;
  #state3 = 0;
  #increment0 = 0;
  #increment1 = 0;
  #increment2 = 0;
  #increment3 = 0;
  #hasHalf = false;
  #half = 0;

  constructor(state: Words, increment: Words, half: number | null) {
    this.#state0 = state[0] | 0;
    this.#state1 = state[1] | 0;
    this.#state2 = state[2] | 0;
    this.#state3 = state[3] | 0;
    this.#increment0 = increment[0] | 0;
    this.#increment1 = increment[1] | 0;
    this.#increment2 = increment[2] | 0;
    this.#increment3 = increment[3] | 0;
    this.#hasHalf = half !== null;
    this.#half = (half ?? 0) | 0;
  }

  /** Advances by one 64-bit output and leaves it in `high` and `low`. */
  step(): void {
    const a0 = this.#state0;
    const a1 = this.#state1;
    const a2 = this.#state2;
    const a3 = this.#state3;
    const c0 = this.#increment0;
    const c1 = this.#increment1;
    const c2 = this.#increment2;
    const u0 = a0 >>> 0;
    const u1 = a1 >>> 0;
    const u2 = a2 >>> 0;
    // Local constants, because V8 then inlines them, which saves a quarter of the time.
    const m0 = 0x9fccf645;
    const m1 = 0x4385df64;
    const m2 = 0x1fc65da4;
    const m3 = 0x2360ed05;

    // state * multiplier + increment, column by column. The low word of a column is exact integer arithmetic; its
    // carry is the rounded double sum minus that word, off by less than 2^-17, so rounding it gives the exact carry.
    const b0 = (Math.imul(a0, m0) + c0) | 0;
    const carry1 = (u0 * m0 + (c0 >>> 0) - (b0 >>> 0)) * 2 ** -32 + 0.5;
    const b1 = (Math.imul(a0, m1) + Math.imul(a1, m0) + c1 + (carry1 | 0)) | 0;
    const carry2 = (u0 * m1 + u1 * m0 + (c1 >>> 0) + carry1 - (b1 >>> 0)) * 2 ** -32 + 0.5;
    const b2 = (Math.imul(a0, m2) + Math.imul(a1, m1) + Math.imul(a2, m0) + c2 + (carry2 | 0)) | 0;
    const carry3 = (u0 * m2 + u1 * m1 + u2 * m0 + (c2 >>> 0) + carry2 - (b2 >>> 0)) * 2 ** -32 + 0.5;
    const b3 =
      (Math.imul(a0, m3) +
        Math.imul(a1, m2) +
        Math.imul(a2, m1) +
        Math.imul(a3, m0) +
        this.#increment3 +
        (carry3 | 0)) |
      0;
    this.#state0 = b0;
    this.#state1 = b1;
    this.#state2 = b2;
    this.#state3 = b3;

    // The halves xored, rotated right by the top six bits; the sixth bit swaps the two words. The left shift has two
    // parts because a shift by 32 is a shift by 0.
    const top = b3 < 0 ? b2 ^ b0 : b3 ^ b1;
    const bottom = b3 < 0 ? b3 ^ b1 : b2 ^ b0;
    const right = (b3 >>> 26) & 31;
    const left = 31 - right;
    this.high = (top >>> right) | ((bottom << 1) << left);
    this.low = (bottom >>> right) | ((top << 1) << left);
  }

  /** Returns the low half of an output and keeps the high half for the next call, like numpy. */
  nextUint32(): number {
    if (this.#hasHalf) {
      this.#hasHalf = false;
      return this.#half >>> 0;
    }
    this.step();
    this.#hasHalf = true;
    this.#half = this.high;
    return this.low >>> 0;
  }

  nextUint64(): bigint {
    this.step();
    return (BigInt(this.high >>> 0) << 32n) | BigInt(this.low >>> 0);
  }

  /** A double in [0, 1) from the upper 53 bits of an output. */
  nextDouble(): number {
    this.step();
    return ((this.high >>> 0) * 2 ** 21 + (this.low >>> 11)) * 2 ** -53;
  }

  get state(): Words {
    return [this.#state0 >>> 0, this.#state1 >>> 0, this.#state2 >>> 0, this.#state3 >>> 0];
  }

  get increment(): Words {
    return [this.#increment0 >>> 0, this.#increment1 >>> 0, this.#increment2 >>> 0, this.#increment3 >>> 0];
  }

  get half(): number | null {
    return this.#hasHalf ? this.#half >>> 0 : null;
  }
}

/** Same as numpy's `PCG64(SeedSequence(seed))`. */
export function seedPcg64(seed: Seed): Pcg64 {
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0] = seedWords(seed, 8);
  const increment: Words = [(w6 << 1) | 1, (w7 << 1) | (w6 >>> 31), (w4 << 1) | (w7 >>> 31), (w5 << 1) | (w4 >>> 31)];
  const bits = new Pcg64(add([w2, w3, w0, w1], increment), increment, null);
  bits.step();
  return bits;
}

function add(left: Words, right: Words): Words {
  const sum0 = (left[0] >>> 0) + (right[0] >>> 0);
  const sum1 = (left[1] >>> 0) + (right[1] >>> 0) + Math.floor(sum0 * 2 ** -32);
  const sum2 = (left[2] >>> 0) + (right[2] >>> 0) + Math.floor(sum1 * 2 ** -32);
  const sum3 = left[3] + right[3] + Math.floor(sum2 * 2 ** -32);
  return [sum0 >>> 0, sum1 >>> 0, sum2 >>> 0, sum3 >>> 0];
}
