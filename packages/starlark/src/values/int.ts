import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";

/**
 * A Starlark int is a JavaScript number while it is a safe integer and a bigint beyond; never both, so that equal
 * ints are always identical values.
 */
export type Int = number | bigint;

export function isInt(value: unknown): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

export function intFromBigInt(value: bigint): Int {
  return value >= smallestSafe && value <= largestSafe ? Number(value) : value;
}

/** True if an int can be an index. starlark-go accepts 32 bits and reports "out of range" beyond. */
export function fitsIndex(value: Int): value is number {
  return value >= -0x80000000 && value <= 0x7fffffff;
}

/** The int nearest to zero from a finite, possibly fractional number. */
export function intFromNumber(value: number): Int {
  const whole = Math.trunc(value) + 0;
  return Number.isSafeInteger(whole) ? whole : BigInt(whole);
}

/** The nearest float. Throws if the int is too large for a float. */
export function intToFloat(value: Int): number {
  const float = Number(value);
  if (!Number.isFinite(float)) throw new Failure("int too large to convert to float");
  return float;
}

export function add(thread: Thread, left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const sum = left + right;
    if (isSafe(sum)) return sum;
  }
  checkSize(thread, Math.max(sizeOf(left), sizeOf(right)) + 1);
  return intFromBigInt(BigInt(left) + BigInt(right));
}

export function subtract(thread: Thread, left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const difference = left - right;
    if (isSafe(difference)) return difference;
  }
  checkSize(thread, Math.max(sizeOf(left), sizeOf(right)) + 1);
  return intFromBigInt(BigInt(left) - BigInt(right));
}

export function multiply(thread: Thread, left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const product = left * right + 0;
    if (isSafe(product)) return product;
  }
  checkSize(thread, sizeOf(left) + sizeOf(right));
  return intFromBigInt(BigInt(left) * BigInt(right));
}

/** The quotient rounded towards minus infinity. */
export function floorDivide(thread: Thread, left: Int, right: Int): Int {
  if (Number(right) === 0) throw new Failure("floored division by zero");
  if (typeof left === "number" && typeof right === "number") {
    const remainder = left % right;
    const quotient = (left - remainder) / right + 0;
    return remainder !== 0 && remainder < 0 !== right < 0 ? quotient - 1 : quotient;
  }
  const x = BigInt(left);
  const y = BigInt(right);
  checkSize(thread, sizeOf(left));
  const quotient = x / y;
  return intFromBigInt(x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient);
}

/** The remainder with the sign of the divisor. */
export function modulo(thread: Thread, left: Int, right: Int): Int {
  if (Number(right) === 0) throw new Failure("integer modulo by zero");
  if (typeof left === "number" && typeof right === "number") {
    const remainder = (left % right) + 0;
    return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder;
  }
  const y = BigInt(right);
  checkSize(thread, sizeOf(left));
  const remainder = BigInt(left) % y;
  return intFromBigInt(remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder);
}

export function bitwise(thread: Thread, operator: "&" | "|" | "^", left: Int, right: Int): Int {
  // A native operator works on 32 bits, which is right exactly when both operands survive the truncation.
  if (typeof left === "number" && typeof right === "number" && (left | 0) === left && (right | 0) === right) {
    return operator === "&" ? left & right : operator === "|" ? left | right : left ^ right;
  }
  const x = BigInt(left);
  const y = BigInt(right);
  checkSize(thread, Math.max(sizeOf(left), sizeOf(right)));
  return intFromBigInt(operator === "&" ? x & y : operator === "|" ? x | y : x ^ y);
}

export function shift(thread: Thread, operator: "<<" | ">>", left: Int, count: Int): Int {
  if (!fitsIndex(count)) throw new Failure(`${count} out of range`);
  if (count < 0) throw new Failure(`negative shift count: ${count}`);
  if (operator === ">>") return shiftRight(thread, left, count);
  if (count >= 512) throw new Failure(`shift count too large: ${count}`);
  checkSize(thread, sizeOf(left) + count);
  return intFromBigInt(BigInt(left) << BigInt(count));
}

/** Counts the work of an operation on ints of this size. Throws if the result is too large. */
export function checkSize(thread: Thread, bits: number): void {
  if (bits > largestBits) throw new Failure(`int too large (more than ${largestBits} bits)`, "limit");
  thread.charge(bits >> 6);
  if (bits > 2048) thread.allocate(bits >> 3);
}

/** Counts the work of writing or reading an int in decimal, which takes more than linear time. */
export function chargeDecimal(thread: Thread, value: Int): void {
  const bits = sizeOf(value);
  if (bits > 1024) thread.charge(bits);
}

/** About how many decimal digits a large int has; 0 for one that is quick to write. */
export function digitsOfLarge(value: bigint): number {
  const bits = sizeOf(value);
  return bits > 1024 ? Math.floor(bits * Math.log10(2)) : 0;
}

/** An upper bound of the bits in the magnitude: exact enough to bound memory and work. */
function sizeOf(value: Int): number {
  if (typeof value === "number") return 53;
  if (value < moderate && value > -moderate) return 1024;
  return value.toString(16).length * 4;
}

/** About half a second of work for the slowest operation, which is conversion to decimal. */
const largestBits = 1 << 22;
const moderate = 1n << 1024n;
const largestSafe = BigInt(Number.MAX_SAFE_INTEGER);
const smallestSafe = BigInt(Number.MIN_SAFE_INTEGER);

function isSafe(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}

function shiftRight(thread: Thread, value: Int, count: Int): Int {
  if (typeof value === "number" && (value | 0) === value)
    return count > 31 ? (value < 0 ? -1 : 0) : value >> Number(count);
  const bits = sizeOf(value);
  checkSize(thread, bits);
  if (count > bits) return value < 0 ? -1 : 0;
  return intFromBigInt(BigInt(value) >> BigInt(count));
}
