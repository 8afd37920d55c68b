import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { checkSize, fitsIndex, intFromBigInt, isInt, type Int } from "../values/int.ts";
import { typeName, type Value } from "../values/value.ts";

/** `int(text, base)`. Base 0 is taken from the prefix; otherwise a prefix must match the base. */
export function parseIntLiteral(thread: Thread, text: string, givenBase: Value): Int {
  if (!isInt(givenBase) || !fitsIndex(givenBase)) {
    throw new Failure(`int: for base, got ${typeName(givenBase)}, want int`);
  }
  const base = givenBase;
  if (base !== 0 && (base < 2 || base > 36)) throw new Failure("int: base must be an integer >= 2 && <= 36");
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const unsigned = text.slice(sign.length);
  const prefixBase = prefixBases.get(unsigned.slice(0, 2).toLowerCase());
  const usesPrefix = prefixBase !== undefined && (base === 0 || base === prefixBase);
  const digits = usesPrefix ? unsigned.slice(2) : unsigned;
  const isObsoleteOctal = base === 0 && !usesPrefix && /^0+[1-9]/.test(digits);
  const magnitude = isObsoleteOctal ? undefined : parseDigits(thread, digits, usesPrefix ? prefixBase : base || 10);
  if (magnitude === undefined) throw new Failure(`int: invalid literal with base ${base}: ${text}`);
  return intFromBigInt(sign === "-" ? -magnitude : magnitude);
}

/** `float(text)`, which also knows the infinities and NaN by name. */
export function parseFloatLiteral(text: string): number {
  if (text === "") throw new Failure("float: empty string");
  const special = specialFloats.get(text.toLowerCase().replace(/^\+/, ""));
  if (special !== undefined) return special;
  if (!floatPattern.test(text)) throw new Failure(`invalid float literal: ${text}`);
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isFinite(value)) throw new Failure("floating-point number too large");
  return value;
}

const prefixBases: ReadonlyMap<string, number> = new Map([
  ["0x", 16],
  ["0o", 8],
  ["0b", 2],
]);

const specialFloats: ReadonlyMap<string, number> = new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
  ["-nan", Number.NaN],
]);

const floatPattern = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/;

function parseDigits(thread: Thread, digits: string, base: number): bigint | undefined {
  if (!/^[0-9a-z]+$/i.test(digits)) return undefined;
  for (const digit of new Set(digits.toLowerCase())) if (Number.parseInt(digit, 36) >= base) return undefined;
  const bits = Math.ceil(digits.length * Math.log2(base));
  checkSize(thread, bits);
  thread.charge(bits >> 1);
  const nativePrefix = nativePrefixes.get(base);
  if (nativePrefix !== undefined) return BigInt(nativePrefix + digits);
  return parsePieces(digits, base);
}

const nativePrefixes: ReadonlyMap<number, string> = new Map([
  [2, "0b"],
  [8, "0o"],
  [10, ""],
  [16, "0x"],
]);

/** Divide and conquer, so that long literals in odd bases do not take quadratic time. */
function parsePieces(digits: string, base: number): bigint {
  if (digits.length <= 8) return BigInt(Number.parseInt(digits, base));
  const half = digits.length >> 1;
  const low = digits.slice(half);
  return parsePieces(digits.slice(0, half), base) * BigInt(base) ** BigInt(low.length) + parsePieces(low, base);
}
