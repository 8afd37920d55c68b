import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import type { BuiltinCall, NamedArguments } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { isIterable, iterate, toArray } from "../values/iterate.ts";
import { elementBytes } from "../values/memory.ts";
import { List } from "../values/list.ts";
import { updateDict } from "../values/set-algebra.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { expectPositional, prefixed, takes, type BuiltinTable } from "./arguments.ts";

export const dictMethods: BuiltinTable = {
  clear: takes(0, 0, (call) => {
    tableOf(call).clear();
    return null;
  }),
  get: takes(1, 2, (call) => {
    const [key = null, fallback = null] = call.positional;
    const found = prefixed("get", () => tableOf(call).get(call.thread, key));
    return found === undefined ? fallback : found; // None is a value
  }),
  items: takes(0, 0, (call) => {
    const table = tableOf(call);
    call.thread.allocate(table.size * elementBytes * 3);
    call.thread.charge(table.size);
    return new List(Array.from(table.entries.values(), ({ key, value }) => new Tuple([key, value])));
  }),
  keys: takes(0, 0, ({ thread, receiver }) => new List(toArray(thread, receiver))),
  pop: takes(1, 2, (call) => {
    const [key = null, fallback] = call.positional;
    const found = prefixed("pop", () => tableOf(call).delete(call.thread, key));
    if (found !== undefined) return found; // None is a value
    if (fallback === undefined) throw new Failure("pop: missing key");
    return fallback;
  }),
  popitem: takes(0, 0, (call) => {
    const entry = prefixed("popitem", () => tableOf(call).shift(call.thread));
    if (!entry) throw new Failure("popitem: empty dict");
    return new Tuple([entry.key, entry.value]);
  }),
  setdefault: takes(1, 2, (call) => {
    const [key = null, fallback = null] = call.positional;
    const table = tableOf(call);
    return prefixed("setdefault", () => {
      const found = table.get(call.thread, key);
      if (found !== undefined) return found;
      table.set(call.thread, key, fallback);
      return fallback;
    });
  }),
  update: (call) => {
    expectPositional({ ...call, named: [] }, 0, 1);
    prefixed("update", () => fillDict(call.thread, call.receiver as Dict, call.positional[0], call.named));
    return null;
  },
  values: takes(0, 0, (call) => {
    const table = tableOf(call);
    call.thread.allocate(table.size * elementBytes);
    call.thread.charge(table.size);
    return new List(Array.from(table.entries.values(), ({ value }) => value));
  }),
};

/** Adds pairs, then keyword arguments, to a dict, as `dict()` and `dict.update()` do. */
export function fillDict(thread: Thread, dict: Dict, pairs: Value | undefined, named: NamedArguments): void {
  if (pairs instanceof Dict) {
    if (pairs !== dict) updateDict(thread, dict, pairs);
  } else if (pairs !== undefined) addPairs(thread, dict, pairs);
  for (const [name, value] of named) dict.table.set(thread, name, value);
}

function addPairs(thread: Thread, dict: Dict, pairs: Value): void {
  if (!isIterable(pairs)) throw new Failure(`got ${typeName(pairs)}, want iterable`);
  let position = 0;
  iterate(pairs, (pair) => {
    const where = `dictionary update sequence element #${position++}`;
    if (!isIterable(pair)) throw new Failure(`${where} is not iterable (${typeName(pair)})`);
    const elements = toArray(thread, pair);
    const [key = null, value = null] = elements;
    if (elements.length !== 2) throw new Failure(`${where} has length ${elements.length}, want 2`);
    dict.table.set(thread, key, value);
  });
}

function tableOf(call: BuiltinCall): Dict["table"] {
  return (call.receiver as Dict).table;
}
