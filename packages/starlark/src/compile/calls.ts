import { methodsOf, getAttribute } from "../builtins/methods.ts";
import { call, callWithSlots } from "../runtime/call.ts";
import { Failure } from "../runtime/failure.ts";
import type { Frame } from "../runtime/frame.ts";
import type { Argument, Call, Dot } from "../syntax/ast.ts";
import { StarlarkFunction, type BuiltinCall, type NamedArguments } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { isIterable, toArray } from "../values/iterate.ts";
import { typeName, type Value } from "../values/value.ts";
import type { CompileContext, Evaluate } from "./context.ts";

export function compileCall(context: CompileContext, node: Call): Evaluate {
  const { at } = node;
  const isPlain = node.arguments.every(({ kind }) => kind === "positional");
  if (node.callee.kind === "dot") return compileMethodCall(context, node, node.callee);
  const callee = context.expression(node.callee);
  if (isPlain) {
    return compilePlainCall(
      callee,
      node.arguments.map(({ value }) => context.expression(value)),
      at,
    );
  }
  const readArguments = compileArguments(context, node);
  return (frame) => {
    const target = callee(frame);
    const { positional, named } = readArguments(frame);
    frame.at = at;
    return call(frame.thread, target, positional, named);
  };
}

/** Fast path: a few positional arguments go directly into the slots of the callee. */
function compilePlainCall(callee: Evaluate, args: readonly Evaluate[], at: number): Evaluate {
  const [first, second] = args;
  if (!first) {
    return (frame) => {
      const target = callee(frame);
      frame.at = at;
      if (isSimple(target, 0)) return callWithSlots(frame.thread, target, []);
      return call(frame.thread, target, []);
    };
  }
  if (args.length === 1) {
    return (frame) => {
      const target = callee(frame);
      const x = first(frame);
      frame.at = at;
      if (isSimple(target, 1)) return callWithSlots(frame.thread, target, [x]);
      return call(frame.thread, target, [x]);
    };
  }
  if (second && args.length === 2) {
    return (frame) => {
      const target = callee(frame);
      const x = first(frame);
      const y = second(frame);
      frame.at = at;
      if (isSimple(target, 2)) return callWithSlots(frame.thread, target, [x, y]);
      return call(frame.thread, target, [x, y]);
    };
  }
  return (frame) => {
    const target = callee(frame);
    const values: Value[] = [];
    for (const argument of args) values.push(argument(frame));
    frame.at = at;
    if (isSimple(target, values.length)) return callWithSlots(frame.thread, target, values);
    return call(frame.thread, target, values);
  };
}

function isSimple(target: Value, count: number): target is StarlarkFunction {
  return target instanceof StarlarkFunction && target.code.isSimple && target.code.positionalCount === count;
}

/** `object.name(…)` without creating a bound method. */
function compileMethodCall(context: CompileContext, node: Call, dot: Dot): Evaluate {
  const { name } = dot;
  const object = context.expression(dot.object);
  const readArguments = compileArguments(context, node);
  const { at } = node;
  return (frame) => {
    const receiver = object(frame);
    const implementation = methodsOf(receiver).get(name);
    if (implementation) {
      const { positional, named } = readArguments(frame);
      frame.at = at;
      frame.builtin = name;
      const result = implementation({ thread: frame.thread, name, positional, named, receiver });
      frame.builtin = undefined;
      return result;
    }
    frame.at = dot.at;
    const target = getAttribute(receiver, name);
    const { positional, named } = readArguments(frame);
    frame.at = at;
    return call(frame.thread, target, positional, named);
  };
}

const noNamed: NamedArguments = [];

function compileArguments(
  context: CompileContext,
  node: Call,
): (frame: Frame) => Pick<BuiltinCall, "positional" | "named"> {
  const ofKind = (kind: Argument["kind"]): Argument[] => node.arguments.filter((argument) => argument.kind === kind);
  const positional = ofKind("positional").map(({ value }) => context.expression(value));
  const named = ofKind("named").map(({ name = "", value }) => ({ name, value: context.expression(value) }));
  const [star, doubleStar] = [ofKind("*")[0], ofKind("**")[0]].map((argument) => {
    return argument && context.expression(argument.value);
  });
  return (frame) => {
    const values: Value[] = [];
    for (const argument of positional) values.push(argument(frame));
    if (named.length === 0 && !star && !doubleStar) return { positional: values, named: noNamed };
    const pairs: (readonly [string, Value])[] = [];
    for (const { name, value } of named) pairs.push([name, value(frame)]);
    const more = star?.(frame);
    const moreNamed = doubleStar?.(frame);
    frame.at = node.at;
    if (moreNamed !== undefined) spreadMapping(moreNamed, pairs);
    if (more !== undefined) spreadIterable(frame, more, values);
    return { positional: values, named: pairs };
  };
}

function spreadMapping(mapping: Value, pairs: (readonly [string, Value])[]): void {
  if (!(mapping instanceof Dict)) {
    throw new Failure(`argument after ** must be a mapping, not ${typeName(mapping)}`);
  }
  for (const { key, value } of mapping.table.entries.values()) {
    if (typeof key !== "string") throw new Failure(`keywords must be strings, not ${typeName(key)}`);
    pairs.push([key, value]);
  }
}

function spreadIterable(frame: Frame, iterable: Value, values: Value[]): void {
  if (!isIterable(iterable)) {
    throw new Failure(`argument after * must be iterable, not ${typeName(iterable)}`);
  }
  for (const value of toArray(frame.thread, iterable)) values.push(value);
}
