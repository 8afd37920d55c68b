import { getAttribute } from "../builtins/methods.ts";
import { Failure } from "../runtime/failure.ts";
import type { Frame } from "../runtime/frame.ts";
import type { DictExpression, Expression, Index, Slice } from "../syntax/ast.ts";
import { Dict } from "../values/dict.ts";
import { getIndex } from "../values/indexing.ts";
import { elementBytes, storedBytes, tableBytes } from "../values/memory.ts";
import { List } from "../values/list.ts";
import { repr } from "../values/repr.ts";
import { getSlice } from "../values/slicing.ts";
import { isTrue } from "../values/truth.ts";
import { emptyTuple, Tuple } from "../values/tuple.ts";
import type { Value } from "../values/value.ts";
import { compileCall } from "./calls.ts";
import { compileComprehension } from "./comprehensions.ts";
import type { CompileContext, Evaluate } from "./context.ts";
import { compileFunction } from "./functions.ts";
import { compileBinary, compileUnary } from "./operators.ts";
import { compileRead } from "./variables.ts";

/** Turns an expression into a closure that evaluates it. */
export function compileExpression(context: CompileContext, expression: Expression): Evaluate {
  switch (expression.kind) {
    case "identifier":
      return compileRead(context, expression);
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "parenthesized":
      return context.expression(expression.inner);
    case "tuple":
      return compileTuple(expression.elements.map(context.expression));
    case "list":
      return compileList(expression.elements.map(context.expression));
    case "dict":
      return compileDict(context, expression);
    case "conditional": {
      const condition = context.expression(expression.condition);
      const whenTrue = context.expression(expression.whenTrue);
      const whenFalse = context.expression(expression.whenFalse);
      return (frame) => (isTrue(condition(frame)) ? whenTrue(frame) : whenFalse(frame));
    }
    case "unary":
      return compileUnary(context, expression);
    case "binary":
      return compileBinary(context, expression);
    case "dot": {
      const object = context.expression(expression.object);
      const { name, at } = expression;
      return (frame) => {
        const owner = object(frame);
        frame.at = at;
        return getAttribute(owner, name);
      };
    }
    case "call":
      return compileCall(context, expression);
    case "index":
      return compileIndex(context, expression);
    case "slice":
      return compileSlice(context, expression);
    case "lambda":
      return compileFunction(context, expression.function);
    case "comprehension":
      return compileComprehension(context, expression);
  }
}

function compileTuple(elements: readonly Evaluate[]): Evaluate {
  if (elements.length === 0) return () => emptyTuple;
  const bytes = (elements.length + 1) * elementBytes;
  return (frame) => {
    frame.thread.allocate(bytes);
    return new Tuple(evaluateAll(frame, elements));
  };
}

function compileList(elements: readonly Evaluate[]): Evaluate {
  const bytes = (elements.length + 2) * elementBytes;
  return (frame) => {
    frame.thread.allocate(bytes);
    return new List(evaluateAll(frame, elements));
  };
}

function evaluateAll(frame: Frame, elements: readonly Evaluate[]): Value[] {
  const values: Value[] = [];
  for (const element of elements) {
    const value = element(frame);
    frame.thread.allocate(storedBytes(value));
    values.push(value);
  }
  return values;
}

function compileDict(context: CompileContext, { entries }: DictExpression): Evaluate {
  const compiled = entries.map(({ key, value, at }) => {
    return { key: context.expression(key), value: context.expression(value), at };
  });
  return (frame) => {
    const { thread } = frame;
    const dict = new Dict();
    thread.allocate(tableBytes);
    for (const entry of compiled) {
      const key = entry.key(frame);
      const value = entry.value(frame);
      frame.at = entry.at;
      const size = dict.table.size;
      dict.table.set(thread, key, value);
      if (dict.table.size === size) throw new Failure(`duplicate key: ${repr(thread, key)}`);
    }
    return dict;
  };
}

function compileIndex(context: CompileContext, node: Index): Evaluate {
  const object = context.expression(node.object);
  const index = context.expression(node.index);
  const { at } = node;
  return (frame) => {
    const collection = object(frame);
    const key = index(frame);
    if (collection instanceof List && typeof key === "number" && key >= 0) {
      const element = collection.elements[key];
      if (element !== undefined) return element;
    }
    frame.at = at;
    return getIndex(frame.thread, collection, key);
  };
}

function compileSlice(context: CompileContext, node: Slice): Evaluate {
  const absent: Evaluate = () => null;
  const object = context.expression(node.object);
  const [from, to, step] = [node.from, node.to, node.step].map((part) => (part ? context.expression(part) : absent));
  return (frame) => {
    const sequence = object(frame);
    const bounds = { from: from?.(frame) ?? null, to: to?.(frame) ?? null, step: step?.(frame) ?? null };
    frame.at = node.at;
    return getSlice(frame.thread, sequence, bounds);
  };
}
