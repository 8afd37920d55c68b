import { setAttribute } from "../builtins/methods.ts";
import { Failure } from "../runtime/failure.ts";
import type { Frame } from "../runtime/frame.ts";
import type { Expression } from "../syntax/ast.ts";
import { setIndex } from "../values/indexing.ts";
import { isIterable, toArray } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import { storedBytes } from "../values/memory.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import type { CompileContext, Evaluate } from "./context.ts";
import { compileWrite } from "./variables.ts";

export type Assign = (frame: Frame, value: Value) => void;

/** Compiles the left side of an assignment. `at` is the position for unpacking errors. */
export function compileTarget(context: CompileContext, target: Expression, at: number): Assign {
  switch (target.kind) {
    case "identifier":
      return compileWrite(context, target);
    case "parenthesized":
      return compileTarget(context, target.inner, at);
    case "tuple":
    case "list":
      return compileUnpack(
        target.elements.map((element) => compileTarget(context, element, at)),
        at,
      );
    case "index":
      return compileIndexTarget(context.expression(target.object), context.expression(target.index), target.at);
    case "dot": {
      const object = context.expression(target.object);
      return (frame, value) => {
        const owner = object(frame);
        frame.at = target.at;
        setAttribute(owner, target.name, value);
      };
    }
    default:
      throw new Error(`cannot assign to ${target.kind}`);
  }
}

function compileIndexTarget(object: Evaluate, index: Evaluate, at: number): Assign {
  return (frame, value) => {
    const collection = object(frame);
    const key = index(frame);
    frame.at = at;
    if (collection instanceof List && typeof key === "number" && collection.canAssign(key)) {
      frame.thread.allocate(storedBytes(value));
      collection.elements[key] = value;
      return;
    }
    setIndex(frame.thread, collection, key, value);
  };
}

function compileUnpack(targets: readonly Assign[], at: number): Assign {
  const count = targets.length;
  return (frame, value) => {
    frame.at = at;
    const elements = elementsToUnpack(frame, value, count);
    for (let index = 0; index < count; index++) targets[index]?.(frame, elements[index] ?? null);
  };
}

function elementsToUnpack(frame: Frame, value: Value, count: number): readonly Value[] {
  if (!isIterable(value)) throw new Failure(`got ${typeName(value)} in sequence assignment`);
  const elements = value instanceof Tuple ? value.elements : toArray(frame.thread, value);
  if (elements.length === count) return elements;
  const amount = elements.length > count ? "many" : "few";
  throw new Failure(`too ${amount} values to unpack (got ${elements.length}, want ${count})`);
}
