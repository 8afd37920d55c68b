import { Failure } from "../runtime/failure.ts";
import type { BinaryOperator } from "../syntax/tokens.ts";
import { Float } from "./float.ts";
import { intToFloat, type Int } from "./int.ts";

/** Arithmetic in which one operand is a float, or `/` on any numbers; undefined for operators floats lack. */
export function floatArithmetic(operator: BinaryOperator, left: Int | Float, right: Int | Float): Float | undefined {
  switch (operator) {
    case "+":
      return new Float(toNumber(left) + toNumber(right));
    case "-":
      return new Float(toNumber(left) - toNumber(right));
    case "*":
      return new Float(toNumber(left) * toNumber(right));
    case "/":
      return new Float(toNumber(left) / nonZero(right, "floating-point division by zero"));
    case "//":
      return new Float(Math.floor(toNumber(left) / nonZero(right, "floored division by zero")));
    case "%":
      return new Float(floatModulo(toNumber(left), nonZero(right, "floating-point modulo by zero")));
    default:
      return undefined;
  }
}

function toNumber(value: Int | Float): number {
  return value instanceof Float ? value.value : intToFloat(value);
}

function nonZero(value: Int | Float, reason: string): number {
  const divisor = toNumber(value);
  if (divisor === 0) throw new Failure(reason);
  return divisor;
}

/** The remainder with the sign of the divisor. */
function floatModulo(left: number, right: number): number {
  const remainder = left % right;
  return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder;
}
