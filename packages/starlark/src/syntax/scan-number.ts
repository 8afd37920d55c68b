import { Float } from "../values/float.ts";
import { intFromBigInt } from "../values/int.ts";
import type { Source } from "./source.ts";

/** Reads an int or float literal that begins at an offset. */
export function scanNumber(source: Source, start: number): { value: number | bigint | Float; end: number } {
  const { text } = source;
  if (text[start] === "0") {
    const radix = radixes.get(text[start + 1]?.toLowerCase() ?? "");
    if (radix) return scanRadix(source, start, radix);
  }
  decimalPattern.lastIndex = start;
  const digits = decimalPattern.exec(text)?.[0] ?? "";
  const end = start + digits.length;
  if (/[.eE]/.test(digits)) {
    const value = Number(digits);
    const isComplete = /\d$|\.$/.test(digits);
    if (!isComplete || !Number.isFinite(value)) throw source.error(end, "invalid float literal");
    return { value: new Float(value), end };
  }
  if (digits.length > 1 && digits.startsWith("0") && /[1-9]/.test(digits)) {
    if (/[89]/.test(digits)) throw source.error(start, "invalid int literal");
    throw source.error(end, `obsolete form of octal literal; use 0o${digits.slice(1)}`);
  }
  return { value: digits.length < 16 ? Number(digits) : intFromBigInt(BigInt(digits)), end };
}

interface Radix {
  readonly name: string;
  readonly prefix: string;
  readonly digits: RegExp;
}

const radixes: ReadonlyMap<string, Radix> = new Map([
  ["x", { name: "hex", prefix: "0x", digits: /[0-9a-fA-F]*/y }],
  ["o", { name: "octal", prefix: "0o", digits: /[0-7]*/y }],
  ["b", { name: "binary", prefix: "0b", digits: /[01]*/y }],
]);

/** An exponent without digits still belongs to the literal, so that the error covers all of it. */
const decimalPattern = /\d*(?:\.\d*)?(?:[eE][+-]?\d*)?/y;

function scanRadix(source: Source, start: number, radix: Radix): { value: number | bigint; end: number } {
  radix.digits.lastIndex = start + 2;
  const digits = radix.digits.exec(source.text)?.[0] ?? "";
  const end = start + 2 + digits.length;
  const following = source.text[end] ?? "";
  if (digits === "" || (radix.name !== "hex" && /\d/.test(following))) {
    throw source.error(radix.name === "hex" ? start : end, `invalid ${radix.name} literal`);
  }
  return { value: intFromBigInt(BigInt(radix.prefix + digits)), end };
}
