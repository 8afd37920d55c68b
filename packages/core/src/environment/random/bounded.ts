import type { Pcg64 } from "./pcg64.ts";

/** An integer in [0, last] as in numpy's `integers` and `choice`: Lemire's multiplication with rejection. */
export function drawUpTo(bits: Pcg64, last: number): number {
  if (last === 0) return 0;
  if (last > MAX_UINT32) return Number(drawBigUpTo(bits, BigInt(last)));
  if (last === MAX_UINT32) return bits.nextUint32();
  const count = last + 1;
  let draw = bits.nextUint32();
  let remainder = Math.imul(draw, count) >>> 0;
  if (remainder < count) {
    const threshold = (MAX_UINT32 - last) % count;
    while (remainder < threshold) {
      draw = bits.nextUint32();
      remainder = Math.imul(draw, count) >>> 0;
    }
  }
  // The double product is off by at most 2^10, far less than 2^32, so rounding gives the exact upper word.
  return Math.round((draw * count - remainder) * 2 ** -32);
}

/** The same for any `last` up to 2^64 - 1. */
export function drawBigUpTo(bits: Pcg64, last: bigint): bigint {
  if (last <= 0xffffffffn) return BigInt(drawUpTo(bits, Number(last)));
  if (last === MAX_UINT64) return bits.nextUint64();
  const count = last + 1n;
  let product = bits.nextUint64() * count;
  if ((product & MAX_UINT64) < count) {
    const threshold = (MAX_UINT64 - last) % count;
    while ((product & MAX_UINT64) < threshold) product = bits.nextUint64() * count;
  }
  return product >> 64n;
}

/** An integer in [0, last], `last` below 2^32, as in numpy's `shuffle`: masked bits with rejection. */
export function drawMaskedUpTo(bits: Pcg64, last: number): number {
  if (last === 0) return 0;
  const unused = Math.clz32(last);
  const mask = MAX_UINT32 >>> unused;
  let value = (bits.nextUint32() & mask) >>> 0;
  while (value > last) value = (bits.nextUint32() & mask) >>> 0;
  return value;
}

const MAX_UINT32 = 0xffffffff;
const MAX_UINT64 = 0xffffffffffffffffn;
