import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { isEqual } from "../values/compare.ts";
import { toArray } from "../values/iterate.ts";
import { elementBytes, storedBytes } from "../values/memory.ts";
import type { List } from "../values/list.ts";
import { clampBounds } from "../values/slicing.ts";
import type { Value } from "../values/value.ts";
import { intAt, iterableAt, prefixed, takes, type BuiltinTable } from "./arguments.ts";

export const listMethods: BuiltinTable = {
  append: takes(1, 1, (call) => {
    const list = receiver(call, "append to");
    const element = call.positional[0] ?? null;
    call.thread.allocate(elementBytes + storedBytes(element));
    list.elements.push(element);
    return null;
  }),
  clear: takes(0, 0, (call) => {
    receiver(call, "clear").elements.length = 0;
    return null;
  }),
  extend: takes(1, 1, (call) => {
    const added = iterableAt(call, 0);
    extendList(receiver(call, "extend"), toArray(call.thread, added));
    return null;
  }),
  index: takes(1, 3, ({ thread, positional, receiver }) => {
    const { elements } = receiver as List;
    const [wanted = null, from = null, to = null] = positional;
    const { start, end } = prefixed("index", () => clampBounds(from, to, elements.length));
    for (let position = start; position < end; position++) {
      if (prefixed("index", () => isEqual(thread, elements[position] ?? null, wanted))) return position;
      thread.charge(1);
    }
    throw new Failure("index: value not in list");
  }),
  insert: takes(2, 2, (call) => {
    const position = intAt(call, 0, 0);
    const { elements } = receiver(call, "insert into");
    const element = call.positional[1] ?? null;
    call.thread.allocate(elementBytes + storedBytes(element));
    call.thread.charge(elements.length >> 4);
    // splice counts a negative position from the end and clamps it, just as Starlark does.
    elements.splice(position, 0, element);
    return null;
  }),
  pop: takes(0, 1, (call) => {
    const { elements } = call.receiver as List;
    const { length } = elements;
    const given = intAt(call, 0, -1);
    const position = given < 0 ? given + length : given;
    if (length === 0) throw new Failure(`pop: index ${given} out of range: empty list`);
    if (position < 0 || position >= length) {
      throw new Failure(`pop: list index ${given} out of range [${-length}:${length - 1}]`);
    }
    receiver(call, "pop from");
    call.thread.charge((length - position) >> 4);
    return (position === length - 1 ? elements.pop() : elements.splice(position, 1)[0]) ?? null;
  }),
  remove: takes(1, 1, (call) => {
    const { elements } = receiver(call, "remove from");
    const wanted = call.positional[0] ?? null;
    const position = elements.findIndex((element) => prefixed("remove", () => isEqual(call.thread, element, wanted)));
    call.thread.charge(elements.length >> 4);
    if (position < 0) throw new Failure("remove: element not found");
    elements.splice(position, 1);
    return null;
  }),
};

/** Appends without spread syntax, because the number of call arguments is limited. */
export function extendList(list: List, added: readonly Value[]): void {
  for (const element of added) list.elements.push(element);
}

function receiver(call: BuiltinCall, verb: string): List {
  const list = call.receiver as List;
  if (list.frozen || list.iterators > 0) prefixed(call.name, () => list.checkMutable(verb));
  return list;
}
