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
import { expectPositional, prefixed } from "./arguments.ts";
import type { Method } from "./methods.ts";

export const dictMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["clear", clear],
  ["get", get],
  ["items", items],
  ["keys", keys],
  ["pop", pop],
  ["popitem", popitem],
  ["setdefault", setdefault],
  ["update", update],
  ["values", values],
]);

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

function clear(call: BuiltinCall): Value {
  expectPositional(call, 0);
  dictOf(call).table.clear();
  return null;
}

function get(call: BuiltinCall): Value {
  expectPositional(call, 1, 2);
  const [key = null, fallback = null] = call.positional;
  const found = prefixed("get", () => dictOf(call).table.get(call.thread, key));
  return found === undefined ? fallback : found; // None is a value
}

function items(call: BuiltinCall): Value {
  expectPositional(call, 0);
  const { table } = dictOf(call);
  call.thread.allocate(table.size * elementBytes * 3);
  call.thread.charge(table.size);
  return new List(Array.from(table.entries.values(), ({ key, value }) => new Tuple([key, value])));
}

function keys(call: BuiltinCall): Value {
  expectPositional(call, 0);
  return new List(toArray(call.thread, dictOf(call)));
}

function pop(call: BuiltinCall): Value {
  expectPositional(call, 1, 2);
  const [key = null, fallback] = call.positional;
  const found = prefixed("pop", () => dictOf(call).table.delete(call.thread, key));
  if (found !== undefined) return found;
  if (fallback === undefined) throw new Failure("pop: missing key");
  return fallback;
}

function popitem(call: BuiltinCall): Value {
  expectPositional(call, 0);
  const entry = prefixed("popitem", () => dictOf(call).table.shift(call.thread));
  if (!entry) throw new Failure("popitem: empty dict");
  return new Tuple([entry.key, entry.value]);
}

function setdefault(call: BuiltinCall): Value {
  expectPositional(call, 1, 2);
  const [key = null, fallback = null] = call.positional;
  const { table } = dictOf(call);
  return prefixed("setdefault", () => {
    const found = table.get(call.thread, key);
    if (found !== undefined) return found;
    table.set(call.thread, key, fallback);
    return fallback;
  });
}

function update(call: BuiltinCall): Value {
  expectPositional({ ...call, named: [] }, 0, 1);
  prefixed("update", () => fillDict(call.thread, dictOf(call), call.positional[0], call.named));
  return null;
}

function values(call: BuiltinCall): Value {
  expectPositional(call, 0);
  const { table } = dictOf(call);
  call.thread.allocate(table.size * elementBytes);
  call.thread.charge(table.size);
  return new List(Array.from(table.entries.values(), ({ value }) => value));
}

function dictOf(call: BuiltinCall): Dict {
  return call.receiver as Dict;
}
