import { Failure } from "../runtime/failure.ts";
import type { Frame } from "../runtime/frame.ts";
import type { Clause, Comprehension } from "../syntax/ast.ts";
import { Dict } from "../values/dict.ts";
import { isIterable, iterate } from "../values/iterate.ts";
import { elementBytes, storedBytes, tableBytes } from "../values/memory.ts";
import { List } from "../values/list.ts";
import { isTrue } from "../values/truth.ts";
import { typeName, type Value } from "../values/value.ts";
import type { CompileContext, Evaluate } from "./context.ts";
import { costOf } from "./measure.ts";
import { compileTarget } from "./targets.ts";

/** A list or dict comprehension. Each clause is a closure that runs the next; the last adds an element. */
export function compileComprehension(context: CompileContext, node: Comprehension): Evaluate {
  if (node.key) {
    const run = compileClauses(context, node, compileEntry(context, node));
    return (frame) => {
      const dict = new Dict();
      frame.thread.allocate(tableBytes);
      run(frame, dict);
      return dict;
    };
  }
  const run = compileClauses(context, node, compileElement(context, node));
  return (frame) => {
    const elements: Value[] = [];
    frame.thread.allocate(2 * elementBytes);
    run(frame, elements);
    return new List(elements);
  };
}

type Step<Output> = (frame: Frame, output: Output) => void;

function compileElement(context: CompileContext, node: Comprehension): Step<Value[]> {
  const value = context.expression(node.value);
  const cost = 1 + costOf(node.value);
  return (frame, output) => {
    frame.thread.charge(cost);
    const element = value(frame);
    frame.thread.allocate(elementBytes + storedBytes(element));
    output.push(element);
  };
}

function compileEntry(context: CompileContext, node: Comprehension): Step<Dict> {
  const key = context.expression(node.key ?? node.value);
  const value = context.expression(node.value);
  const cost = 1 + costOf(node.key) + costOf(node.value);
  return (frame, output) => {
    frame.thread.charge(cost);
    const entryKey = key(frame);
    const entryValue = value(frame);
    frame.at = node.entryAt;
    output.table.set(frame.thread, entryKey, entryValue);
  };
}

function compileClauses<Output>(context: CompileContext, node: Comprehension, last: Step<Output>): Step<Output> {
  let next = last;
  for (const clause of node.clauses.toReversed()) next = compileClause(context, clause, next);
  return next;
}

function compileClause<Output>(context: CompileContext, clause: Clause, next: Step<Output>): Step<Output> {
  if (clause.kind === "if") {
    const condition = context.expression(clause.condition);
    const cost = costOf(clause.condition);
    return (frame, output) => {
      frame.thread.charge(cost);
      if (isTrue(condition(frame))) next(frame, output);
    };
  }
  const iterable = context.expression(clause.iterable);
  const assign = compileTarget(context, clause.target, clause.at);
  const cost = costOf(clause.iterable);
  const { at } = clause;
  return (frame, output) => {
    frame.thread.charge(cost);
    const elements = iterable(frame);
    frame.at = at;
    if (!isIterable(elements)) throw new Failure(`${typeName(elements)} value is not iterable`);
    iterate(elements, (element) => {
      frame.thread.charge(1);
      assign(frame, element);
      next(frame, output);
    });
  };
}
