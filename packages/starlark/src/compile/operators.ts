import type { Binary, Unary } from "../syntax/ast.ts";
import type { BinaryOperator } from "../syntax/tokens.ts";
import { applyBinary } from "../values/binary.ts";
import { isEqual } from "../values/compare.ts";
import { isTrue } from "../values/truth.ts";
import { applyUnary } from "../values/unary.ts";
import type { Value } from "../values/value.ts";
import type { CompileContext, Evaluate } from "./context.ts";

export function compileUnary(context: CompileContext, unary: Unary): Evaluate {
  const { operator, at } = unary;
  const operand = context.expression(unary.operand);
  if (operator === "not") return (frame) => !isTrue(operand(frame));
  return (frame) => {
    const value = operand(frame);
    frame.at = at;
    return applyUnary(frame.thread, operator, value);
  };
}

/** A chain of operators of one precedence is evaluated from the left. */
export function compileBinary(context: CompileContext, binary: Binary): Evaluate {
  const first = context.expression(binary.first);
  const rest = binary.rest.map(({ operator, operand, at }) => ({ operator, at, operand: context.expression(operand) }));
  if (rest.length > maxNestedOperators) return compileChain(first, rest);
  let result = first;
  for (const { operator, operand, at } of rest) result = compileOperation(operator, result, operand, at);
  return result;
}

/** Longer chains use a loop, because each nested closure costs a native stack frame. */
const maxNestedOperators = 3;

interface Link {
  readonly operator: BinaryOperator;
  readonly operand: Evaluate;
  readonly at: number;
}

function compileChain(first: Evaluate, rest: readonly Link[]): Evaluate {
  if (rest[0]?.operator === "and") return compileLogicalChain([first, ...rest.map(({ operand }) => operand)], false);
  if (rest[0]?.operator === "or") return compileLogicalChain([first, ...rest.map(({ operand }) => operand)], true);
  return (frame) => {
    let result = first(frame);
    for (const { operator, operand, at } of rest) {
      const right = operand(frame);
      frame.at = at;
      result = applyBinary(frame.thread, operator, result, right);
    }
    return result;
  };
}

function compileLogicalChain(operands: readonly Evaluate[], stopsAt: boolean): Evaluate {
  return (frame) => {
    let result: Value = null;
    for (const operand of operands) {
      result = operand(frame);
      if (isTrue(result) === stopsAt) break;
    }
    return result;
  };
}

/** Fast path for small ints; everything else uses the general rules. */
function compileOperation(operator: BinaryOperator, left: Evaluate, right: Evaluate, at: number): Evaluate {
  switch (operator) {
    case "and":
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? right(frame) : value;
      };
    case "or":
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? value : right(frame);
      };
    case "+":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") {
          const sum = x + y;
          if (sum <= largest && sum >= -largest) return sum;
        }
        frame.at = at;
        return applyBinary(frame.thread, "+", x, y);
      };
    case "-":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") {
          const difference = x - y;
          if (difference <= largest && difference >= -largest) return difference;
        }
        frame.at = at;
        return applyBinary(frame.thread, "-", x, y);
      };
    case "*":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") {
          const product = x * y;
          if (product <= largest && product >= -largest) return product + 0;
        }
        frame.at = at;
        return applyBinary(frame.thread, "*", x, y);
      };
    case "%":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number" && x >= 0 && y > 0) return x % y;
        frame.at = at;
        return applyBinary(frame.thread, "%", x, y);
      };
    case "==":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x === y;
        frame.at = at;
        return isEqual(frame.thread, x, y);
      };
    case "<":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x < y;
        frame.at = at;
        return applyBinary(frame.thread, "<", x, y);
      };
    case ">":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x > y;
        frame.at = at;
        return applyBinary(frame.thread, ">", x, y);
      };
    default:
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        frame.at = at;
        return applyBinary(frame.thread, operator, x, y);
      };
  }
}

const largest = Number.MAX_SAFE_INTEGER;
