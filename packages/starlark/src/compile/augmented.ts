import { extendList } from "../builtins/list.ts";
import { getAttribute, setAttribute } from "../builtins/methods.ts";
import type { Thread } from "../runtime/thread.ts";
import type { Expression, Statement } from "../syntax/ast.ts";
import type { BinaryOperator } from "../syntax/tokens.ts";
import { applyBinary } from "../values/binary.ts";
import { Dict } from "../values/dict.ts";
import { getIndex, setIndex } from "../values/indexing.ts";
import { isIterable, toArray } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import { updateDict } from "../values/set-algebra.ts";
import type { Value } from "../values/value.ts";
import { completedNormally, type Execute } from "./compiled-function.ts";
import type { CompileContext, Evaluate } from "./context.ts";
import { compileRead, compileWrite } from "./variables.ts";

type Augment = Extract<Statement, { kind: "augment" }>;

/** `target operator= value`. The parts of the target are evaluated once, before the value. */
export function compileAugmented(context: CompileContext, statement: Augment): Execute {
  const { operator, at } = statement;
  const target = withoutParentheses(statement.target);
  const value = context.expression(statement.value);
  switch (target.kind) {
    case "identifier": {
      const read = compileRead(context, target);
      const write = compileWrite(context, target);
      return (frame) => {
        const left = read(frame);
        const right = value(frame);
        frame.at = at;
        write(frame, applyInPlace(frame.thread, operator, left, right));
        return completedNormally;
      };
    }
    case "index":
      return compileIndexed(context.expression(target.object), context.expression(target.index), {
        value,
        operator,
        at,
        targetAt: target.at,
      });
    case "dot": {
      const object = context.expression(target.object);
      const { name } = target;
      return (frame) => {
        const owner = object(frame);
        frame.at = target.at;
        const left = getAttribute(owner, name);
        const right = value(frame);
        frame.at = at;
        const result = applyInPlace(frame.thread, operator, left, right);
        frame.at = target.at;
        setAttribute(owner, name, result);
        return completedNormally;
      };
    }
    default:
      throw new Error(`cannot assign to ${target.kind}`);
  }
}

function withoutParentheses(expression: Expression): Expression {
  let inner = expression;
  while (inner.kind === "parenthesized") inner = inner.inner;
  return inner;
}

function compileIndexed(
  object: Evaluate,
  index: Evaluate,
  operation: { value: Evaluate; operator: BinaryOperator; at: number; targetAt: number },
): Execute {
  const { value, operator, at, targetAt } = operation;
  return (frame) => {
    const collection = object(frame);
    const key = index(frame);
    frame.at = targetAt;
    const left = getIndex(frame.thread, collection, key);
    const right = value(frame);
    frame.at = at;
    const result = applyInPlace(frame.thread, operator, left, right);
    frame.at = targetAt;
    setIndex(frame.thread, collection, key, result);
    return completedNormally;
  };
}

/** Lists grow and dicts are updated in place; every other operator creates a new value. */
function applyInPlace(thread: Thread, operator: BinaryOperator, left: Value, right: Value): Value {
  if (operator === "+") {
    if (typeof left === "number" && typeof right === "number") {
      const sum = left + right;
      if (Number.isSafeInteger(sum)) return sum;
    } else if (left instanceof List && isIterable(right)) {
      left.checkMutable("apply += to");
      extendList(left, toArray(thread, right));
      return left;
    }
  } else if (operator === "|" && left instanceof Dict && right instanceof Dict) {
    left.table.checkMutable("apply |= to");
    if (left !== right) updateDict(thread, left, right);
    return left;
  }
  return applyBinary(thread, operator, left, right);
}
