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
import { iterableAt, prefixed, takes, type BuiltinTable } from "./arguments.ts";

export const setMethods: BuiltinTable = {
  add: takes(1, 1, (call) => {
    prefixed("add", () => tableOf(call).set(call.thread, call.positional[0] ?? null, null));
    return null;
  }),
  clear: takes(0, 0, (call) => {
    const table = tableOf(call);
    if (table.size > 0) prefixed("clear", () => table.clear());
    return null;
  }),
  difference: withOther(differenceOf),
  discard: takes(1, 1, (call) => {
    const element = call.positional[0] ?? null;
    prefixed("discard", () => {
      const table = tableOf(call);
      table.checkMutable("delete from");
      if (table.has(call.thread, element)) table.delete(call.thread, element);
    });
    return null;
  }),
  intersection: withOther(intersectionOf),
  issubset: withOther(isSubsetOf),
  issuperset: withOther(isSupersetOf),
  pop: takes(0, 0, (call) => {
    const entry = prefixed("pop", () => tableOf(call).shift(call.thread));
    if (!entry) throw new Failure("pop: empty set");
    return entry.key;
  }),
  remove: takes(1, 1, (call) => {
    const found = prefixed("remove", () => tableOf(call).delete(call.thread, call.positional[0] ?? null));
    if (found === undefined) throw new Failure("remove: missing key");
    return null;
  }),
  symmetric_difference: withOther(symmetricDifferenceOf),
  union: (call) => {
    const others = iterables(call);
    return prefixed("union", () => {
      const result = unionOf(call.thread, setOf(call), new List([]));
      for (const other of others) addAll(call.thread, result, other);
      return result;
    });
  },
  update: (call) => {
    const others = iterables(call);
    prefixed("update", () => {
      for (const other of others) addAll(call.thread, setOf(call), other);
    });
    return null;
  },
};

/** A method with one iterable argument. A missing argument counts as empty. */
function withOther(
  operate: (thread: BuiltinCall["thread"], set: StarlarkSet, other: Iterable) => Value,
): BuiltinTable[string] {
  return takes(0, 1, (call) => {
    const other = call.positional.length === 0 ? new List([]) : iterableAt(call, 0);
    return prefixed(call.name, () => operate(call.thread, setOf(call), other));
  });
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

function tableOf(call: BuiltinCall): StarlarkSet["table"] {
  return setOf(call).table;
}
