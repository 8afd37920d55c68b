import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import type { UnaryOperator } from "../syntax/tokens.ts";
import { Float } from "./float.ts";
import { isInt, subtract } from "./int.ts";
import { isTrue } from "./truth.ts";
import { typeName, type Value } from "./value.ts";

export function applyUnary(thread: Thread, operator: UnaryOperator, operand: Value): Value {
  if (operator === "not") return !isTrue(operand);
  if (isInt(operand)) {
    if (operator === "+") return operand;
    return operator === "-" ? subtract(thread, 0, operand) : subtract(thread, -1, operand);
  }
  if (operand instanceof Float && operator !== "~") return operator === "-" ? new Float(-operand.value) : operand;
  throw new Failure(`unknown unary op: ${operator} ${typeName(operand)}`);
}
