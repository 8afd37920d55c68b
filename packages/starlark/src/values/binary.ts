import { formatPercent } from "../builtins/format-percent.ts";
import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import type { BinaryOperator } from "../syntax/tokens.ts";
import { Bytes } from "./bytes.ts";
import { isEqual, isOrdered } from "./compare.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { floatArithmetic } from "./float-arithmetic.ts";
import { HostObject } from "./host-object.ts";
import { add, bitwise, floorDivide, isInt, modulo, multiply, shift, subtract, type Int } from "./int.ts";
import { List } from "./list.ts";
import { isMember } from "./membership.ts";
import { concatenateElements, concatenateText, repeat, type Repeatable } from "./sequence.ts";
import { StarlarkSet } from "./set.ts";
import { differenceOf, intersectionOf, symmetricDifferenceOf, unionOf, unionOfDicts } from "./set-algebra.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

/** Applies a binary operator other than `and` and `or`, which do not evaluate both operands. */
export function applyBinary(thread: Thread, operator: BinaryOperator, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
      return isEqual(thread, left, right);
    case "!=":
      return !isEqual(thread, left, right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return isOrdered(thread, operator, left, right);
    case "in":
      return isMember(thread, left, right);
    case "not in":
      return !isMember(thread, left, right);
    default:
      return applyArithmetic(thread, operator, left, right) ?? applyHostBinary(operator, left, right);
  }
}

type ArithmeticOperator = "+" | "-" | "*" | "/" | "//" | "%" | "|" | "^" | "&" | "<<" | ">>";

function applyArithmetic(thread: Thread, operator: BinaryOperator, left: Value, right: Value): Value | undefined {
  const leftIsInt = isInt(left);
  const rightIsInt = isInt(right);
  if (leftIsInt && rightIsInt) return applyToInts(thread, operator as ArithmeticOperator, left, right);
  if ((leftIsInt || left instanceof Float) && (rightIsInt || right instanceof Float)) {
    if (operator === "<<" || operator === ">>") return refuseShift(leftIsInt, right);
    return floatArithmetic(operator, left, right);
  }
  switch (operator) {
    case "+":
      return applyPlus(thread, left, right);
    case "*":
      if (rightIsInt && isRepeatable(left)) return repeat(thread, left, right);
      return leftIsInt && isRepeatable(right) ? repeat(thread, right, left) : undefined;
    case "%":
      return typeof left === "string" ? formatPercent(thread, left, right) : undefined;
    case "<<":
    case ">>":
      return refuseShift(leftIsInt, right);
    default:
      return applyToCollections(thread, operator, left, right);
  }
}

function applyToInts(thread: Thread, operator: ArithmeticOperator, left: Int, right: Int): Value | undefined {
  switch (operator) {
    case "+":
      return add(thread, left, right);
    case "-":
      return subtract(thread, left, right);
    case "*":
      return multiply(thread, left, right);
    case "/":
      return floatArithmetic(operator, left, right);
    case "//":
      return floorDivide(thread, left, right);
    case "%":
      return modulo(thread, left, right);
    case "<<":
    case ">>":
      return shift(thread, operator, left, right);
    default:
      return bitwise(thread, operator, left, right);
  }
}

/** starlark-go reports an invalid shift count instead of the pair of operands. */
function refuseShift(leftIsInt: boolean, right: Value): undefined {
  if (leftIsInt) throw new Failure(`got ${typeName(right)}, want int`);
}

function applyPlus(thread: Thread, left: Value, right: Value): Value | undefined {
  if (typeof left === "string") return typeof right === "string" ? concatenateText(thread, left, right) : undefined;
  if (left instanceof List && right instanceof List) {
    return new List(concatenateElements(thread, left.elements, right.elements));
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    return new Tuple(concatenateElements(thread, left.elements, right.elements));
  }
  if (left instanceof Bytes && right instanceof Bytes) return new Bytes(concatenateText(thread, left.data, right.data));
  return undefined;
}

function applyToCollections(thread: Thread, operator: BinaryOperator, left: Value, right: Value): Value | undefined {
  if (left instanceof Dict && right instanceof Dict) {
    return operator === "|" ? unionOfDicts(thread, left, right) : undefined;
  }
  if (!(left instanceof StarlarkSet) || !(right instanceof StarlarkSet)) return undefined;
  switch (operator) {
    case "|":
      return unionOf(thread, left, right);
    case "&":
      return intersectionOf(thread, left, right);
    case "-":
      return differenceOf(thread, left, right);
    case "^":
      return symmetricDifferenceOf(thread, left, right);
    default:
      return undefined;
  }
}

function applyHostBinary(operator: BinaryOperator, left: Value, right: Value): Value {
  const answer =
    (left instanceof HostObject ? left.behaviour.binary?.(operator, right, "left") : undefined) ??
    (right instanceof HostObject ? right.behaviour.binary?.(operator, left, "right") : undefined);
  if (answer === undefined) {
    throw new Failure(`unknown binary op: ${typeName(left)} ${operator} ${typeName(right)}`);
  }
  return answer;
}

function isRepeatable(value: Value): value is Repeatable {
  return typeof value === "string" || value instanceof List || value instanceof Tuple || value instanceof Bytes;
}
