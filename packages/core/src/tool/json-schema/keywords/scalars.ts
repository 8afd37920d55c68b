import type { Compiler } from "../compiler.ts";
import { formats } from "../formats.ts";
import { clip, fault, plural, schemaError } from "../fault.ts";
import { readCount, readNumber, readRegExp } from "../keyword-values.ts";
import type { Check, SchemaFault } from "../schema.ts";
import type { SchemaNode } from "../schema-document.ts";

export function stringChecks(node: SchemaNode, { checkFormats }: Pick<Compiler, "checkFormats">): Check<string>[] {
  const checks: Check<string>[] = [];
  const min = readCount(node, "minLength");
  const max = readCount(node, "maxLength");
  const { pattern: source } = node.keywords;
  if (min !== undefined && min > 0) {
    const tooShort = fault(`must have at least ${plural(min, "character")}`);
    checks.push((value) => (hasLength(value, min) ? undefined : tooShort));
  }
  if (max !== undefined) {
    const tooLong = fault(`must have at most ${plural(max, "character")}`);
    checks.push((value) => (value.length > max && hasLength(value, max + 1) ? tooLong : undefined));
  }
  if (source !== undefined) {
    const pattern = readRegExp(source, `${node.path}/pattern`);
    const mismatch = fault(`must match the pattern ${clip(pattern.source, 100)}`);
    checks.push((value) => (pattern.test(value) ? undefined : mismatch));
  }
  const { format } = node.keywords;
  const hasFormat = checkFormats && typeof format === "string" ? formats.get(format) : undefined;
  if (hasFormat) {
    const misfit = fault(`must be a valid ${String(format)}`);
    checks.push((value) => (hasFormat(value) ? undefined : misfit));
  }
  return checks;
}

export function numberChecks(node: SchemaNode): Check<number>[] {
  const checks = rangeChecks(node);
  const divisor = readNumber(node, "multipleOf");
  if (divisor !== undefined) {
    if (divisor <= 0) throw schemaError(`${node.path}/multipleOf`, "it must be greater than 0");
    const passes = multipleOfTest(divisor);
    checks.push((value) => (passes(value) ? undefined : fault(`must be a multiple of ${divisor}, got ${value}`)));
  }
  return checks;
}

/** Whether a string has at least `count` code points. It has between half as many and as many as UTF-16 units. */
function hasLength(text: string, count: number): boolean {
  if (text.length < count) return false;
  if (text.length >= count * 2) return true;
  let spare = text.length - count;
  for (let index = 0; index < text.length && spare >= 0; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      spare--;
      index++;
    }
  }
  return spare >= 0;
}

function rangeChecks(node: SchemaNode): Check<number>[] {
  const min = readNumber(node, "minimum");
  const max = readNumber(node, "maximum");
  const above = readNumber(node, "exclusiveMinimum");
  const below = readNumber(node, "exclusiveMaximum");
  if (min === undefined && max === undefined && above === undefined && below === undefined) return [];
  const least = min ?? -Infinity;
  const most = max ?? Infinity;
  const over = above ?? -Infinity;
  const under = below ?? Infinity;
  return [
    (value) => {
      if (value >= least && value <= most && value > over && value < under) return undefined;
      return explainRange(value, { min, max, above, below });
    },
  ];
}

type Range = Record<"min" | "max" | "above" | "below", number | undefined>;

function explainRange(value: number, { min, max, above, below }: Range): SchemaFault {
  const wanted: string[] = [];
  if (min !== undefined) wanted.push(`at least ${min}`);
  if (above !== undefined) wanted.push(`greater than ${above}`);
  if (max !== undefined) wanted.push(`at most ${max}`);
  if (below !== undefined) wanted.push(`less than ${below}`);
  return fault(`must be ${wanted.join(" and ")}, got ${value}`);
}

/** Exact on decimal digits: 0.0075 is a multiple of 0.0001, though not in binary floating point. */
function multipleOfTest(divisor: number): (value: number) => boolean {
  const decimalDivisor = toDecimal(divisor);
  const isSafeDivisor = Number.isSafeInteger(divisor);
  return (value) => {
    if (isSafeDivisor && Number.isSafeInteger(value)) return value % divisor === 0;
    if (!Number.isFinite(value)) return false;
    return isDecimalMultiple(toDecimal(value), decimalDivisor);
  };
}

/** `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function isDecimalMultiple(value: Decimal, divisor: Decimal): boolean {
  const shift = value.exponent - divisor.exponent;
  const digits = shift > 0 ? value.digits * 10n ** BigInt(shift) : value.digits;
  const by = shift < 0 ? divisor.digits * 10n ** BigInt(-shift) : divisor.digits;
  return digits % by === 0n;
}
