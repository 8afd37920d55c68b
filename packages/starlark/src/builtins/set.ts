import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { isIterable, type Iterable } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import type { StarlarkSet } from "../values/set.ts";
import {
  addAll,
  differenceOf,
  intersectionOf,
  isSubsetOf,
  isSupersetOf,
  symmetricDifferenceOf,
  unionOf,
} from "../values/set-algebra.ts";
import { typeName, type Value } from "../values/value.ts";
import { expectPositional, iterableAt, prefixed } from "./arguments.ts";
import type { Method } from "./methods.ts";

export const setMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["add", add],
  ["clear", clear],
  ["difference", withOther(differenceOf)],
  ["discard", discard],
  ["intersection", withOther(intersectionOf)],
  ["issubset", withOther(isSubsetOf)],
  ["issuperset", withOther(isSupersetOf)],
  ["pop", pop],
  ["remove", remove],
  ["symmetric_difference", withOther(symmetricDifferenceOf)],
  ["union", union],
  ["update", update],
]);

function add(call: BuiltinCall): Value {
  expectPositional(call, 1);
  prefixed("add", () => setOf(call).table.set(call.thread, call.positional[0] ?? null, null));
  return null;
}

function clear(call: BuiltinCall): Value {
  expectPositional(call, 0);
  const { table } = setOf(call);
  if (table.size > 0) prefixed("clear", () => table.clear());
  return null;
}

/** A method with one iterable argument. A missing argument counts as empty. */
function withOther(operate: (thread: BuiltinCall["thread"], set: StarlarkSet, other: Iterable) => Value): Method {
  return (call) => {
    expectPositional(call, 0, 1);
    const other = call.positional.length === 0 ? new List([]) : iterableAt(call, 0);
    return prefixed(call.name, () => operate(call.thread, setOf(call), other));
  };
}

function discard(call: BuiltinCall): Value {
  expectPositional(call, 1);
  const element = call.positional[0] ?? null;
  prefixed("discard", () => {
    const { table } = setOf(call);
    table.checkMutable("delete from");
    if (table.has(call.thread, element)) table.delete(call.thread, element);
  });
  return null;
}

function pop(call: BuiltinCall): Value {
  expectPositional(call, 0);
  const entry = prefixed("pop", () => setOf(call).table.shift(call.thread));
  if (!entry) throw new Failure("pop: empty set");
  return entry.key;
}

function remove(call: BuiltinCall): Value {
  expectPositional(call, 1);
  const found = prefixed("remove", () => setOf(call).table.delete(call.thread, call.positional[0] ?? null));
  if (found === undefined) throw new Failure("remove: missing key");
  return null;
}

function union(call: BuiltinCall): Value {
  const others = iterables(call);
  return prefixed("union", () => {
    const result = unionOf(call.thread, setOf(call), new List([]));
    for (const other of others) addAll(call.thread, result, other);
    return result;
  });
}

function update(call: BuiltinCall): Value {
  const others = iterables(call);
  prefixed("update", () => {
    for (const other of others) addAll(call.thread, setOf(call), other);
  });
  return null;
}

function iterables(call: BuiltinCall): Iterable[] {
  if (call.named.length > 0) throw new Failure(`${call.name}: does not accept keyword arguments`);
  return call.positional.map((value, index) => {
    if (isIterable(value)) return value;
    throw new Failure(`${call.name}: argument #${index + 1} is not iterable: ${typeName(value)}`);
  });
}

function setOf(call: BuiltinCall): StarlarkSet {
  return call.receiver as StarlarkSet;
}
