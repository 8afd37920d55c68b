import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { codePoints, encodeCodePoint } from "../utf8.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { formatFixed, formatFloat, formatScientific } from "../values/format-float.ts";
import { chargeDecimal, intToFloat, isInt, type Int } from "../values/int.ts";
import { repr } from "../values/repr.ts";
import { checkLength } from "../values/sequence.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { intFromFloat } from "./numbers.ts";

/** `format % operand`. */
export function formatPercent(thread: Thread, format: string, operand: Value): string {
  let result = "";
  const values = operand instanceof Tuple ? operand.elements : [operand];
  let used = 0;
  let from = 0;
  for (let at = format.indexOf("%"); at >= 0; at = format.indexOf("%", from)) {
    result += format.slice(from, at);
    thread.charge(1);
    from = at + 1;
    if (format[from] === "%") {
      result += "%";
      from++;
      continue;
    }
    let value: Value | undefined;
    if (format[from] === "(") {
      const close = format.indexOf(")", from);
      if (close < 0) throw new Failure("incomplete format key");
      value = lookUp(thread, operand, format.slice(from + 1, close));
      from = close + 1;
    } else {
      value = values[used++];
      if (value === undefined) throw new Failure("not enough arguments for format string");
    }
    const verb = format[from++];
    if (verb === undefined) throw new Failure("incomplete format");
    const formatted = formatVerb(thread, verb, value);
    thread.allocate(formatted.length);
    checkLength(result.length + formatted.length);
    result += formatted;
  }
  if (used < values.length && !(operand instanceof Dict)) throw new Failure("too many arguments for format string");
  if (format.length > 64) thread.allocate(format.length);
  return result + format.slice(from);
}

function lookUp(thread: Thread, operand: Value, key: string): Value {
  if (!(operand instanceof Dict)) throw new Failure("format requires a mapping");
  const value = operand.table.get(thread, key);
  if (value === undefined) throw new Failure(`key not found: ${key}`);
  return value;
}

function formatVerb(thread: Thread, verb: string, value: Value): string {
  switch (verb) {
    case "s":
      return typeof value === "string" ? value : repr(thread, value);
    case "r":
      return repr(thread, value);
    case "d":
    case "i":
      return formatInt(thread, verb, value).toString();
    case "o":
      return formatInt(thread, verb, value).toString(8);
    case "x":
      return formatInt(thread, verb, value).toString(16);
    case "X":
      return formatInt(thread, verb, value).toString(16).toUpperCase();
    case "e":
      return formatScientific(toFloat(verb, value));
    case "E":
      return formatScientific(toFloat(verb, value)).replace("e", "E");
    case "f":
    case "F":
      return formatFixed(toFloat(verb, value));
    case "g":
      return formatFloat(toFloat(verb, value));
    case "G":
      return formatFloat(toFloat(verb, value)).replace("e", "E");
    case "c":
      return formatCharacter(value);
    default:
      throw new Failure(`unknown conversion %${verb}`);
  }
}

function formatInt(thread: Thread, verb: string, value: Value): Int {
  const requires = `%${verb} format requires integer: `;
  if (!isInt(value) && !(value instanceof Float)) {
    throw new Failure(`${requires}cannot convert ${typeName(value)} to int`);
  }
  const int = value instanceof Float ? intFromFloat(value.value, requires) : value;
  chargeDecimal(thread, int);
  return int;
}

function toFloat(verb: string, value: Value): number {
  if (value instanceof Float) return value.value;
  if (isInt(value)) return intToFloat(value);
  throw new Failure(`%${verb} format requires float, not ${typeName(value)}`);
}

function formatCharacter(value: Value): string {
  if (isInt(value)) {
    if (value < 0 || value > 0x10ffff) {
      throw new Failure(`%c format requires a valid Unicode code point, got ${value}`);
    }
    return encodeCodePoint(Number(value));
  }
  if (typeof value !== "string") {
    throw new Failure(`%c format requires int or single-character string, not ${typeName(value)}`);
  }
  if (codePoints(value.slice(0, 8)).length !== 1) throw new Failure("%c format requires a single-character string");
  return value;
}
