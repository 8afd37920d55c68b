import { call as callValue } from "../runtime/call.ts";
import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { isOrdered } from "../values/compare.ts";
import { isIterable, iterate, toArray } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import { typeName, type Value } from "../values/value.ts";
import { stableSort } from "./stable-sort.ts";
import {
  bindParameters,
  isCallable,
  prefixed,
  unexpectedKeyword,
  type BuiltinTable,
  type GivenArgument,
} from "./arguments.ts";

export const orderingBuiltins: BuiltinTable = {
  max: (call) => extreme(call, ">"),
  min: (call) => extreme(call, "<"),
  /** A new sorted list. Equal elements keep their order, also in reverse. */
  sorted: (call) => {
    const { thread } = call;
    const [iterable, key, reverse] = bindParameters(call, ["iterable", "key?", "reverse?"]);
    if (!iterable || !isIterable(iterable.value)) throw refuseArgument(call, iterable, "iterable");
    if (key && !isCallable(key.value)) throw refuseArgument(call, key, "callable");
    if (reverse && typeof reverse.value !== "boolean") throw refuseArgument(call, reverse, "bool");
    const elements = toArray(thread, iterable.value);
    const isReversed = reverse?.value === true;
    const isLess = (left: Value, right: Value): boolean => {
      thread.charge(1);
      return isReversed ? isOrdered(thread, "<", right, left) : isOrdered(thread, "<", left, right);
    };
    if (!key) return new List(stableSort(elements, isLess));
    thread.allocate(elements.length * 64);
    const keyed = elements.map((element) => ({ element, key: callValue(thread, key.value, [element]) }));
    return new List(stableSort(keyed, (left, right) => isLess(left.key, right.key)).map(({ element }) => element));
  },
};

function extreme(call: BuiltinCall, operator: "<" | ">"): Value {
  const { name, thread, positional } = call;
  if (positional.length === 0) throw new Failure(`${name} requires at least one positional argument`);
  const key = keyArgument(call);
  const [only = null] = positional;
  if (positional.length === 1 && !isIterable(only)) {
    throw new Failure(`${name}: ${typeName(only)} value is not iterable`);
  }
  let best: { element: Value; key: Value } | undefined;
  const consider = (element: Value): void => {
    thread.charge(1);
    const elementKey = key === undefined ? element : callValue(thread, key, [element]);
    if (!best || prefixed(name, () => isOrdered(thread, operator, elementKey, best?.key ?? null))) {
      best = { element, key: elementKey };
    }
  };
  if (positional.length === 1 && isIterable(only)) iterate(only, consider);
  else for (const element of positional) consider(element);
  if (!best) throw new Failure(`${name}: argument is an empty sequence`);
  return best.element;
}

function keyArgument(call: BuiltinCall): Value | undefined {
  let key: Value | undefined;
  for (const [name, value] of call.named) {
    if (name !== "key") throw unexpectedKeyword(call.name, name, ["key"]);
    if (!isCallable(value)) {
      throw new Failure(`${call.name}: for parameter "key": got ${typeName(value)}, want callable`);
    }
    key = value;
  }
  return key;
}

function refuseArgument(call: BuiltinCall, given: GivenArgument | undefined, wanted: string): Failure {
  return new Failure(`${call.name}: ${given?.where}: got ${typeName(given?.value ?? null)}, want ${wanted}`);
}
