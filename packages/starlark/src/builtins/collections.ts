import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { isIterable, iterate, toArray } from "../values/iterate.ts";
import { elementBytes, tableBytes } from "../values/memory.ts";
import { List } from "../values/list.ts";
import { quote } from "../values/quote.ts";
import { Range } from "../values/range.ts";
import { StarlarkSet } from "../values/set.ts";
import { addAll } from "../values/set-algebra.ts";
import { isTrue } from "../values/truth.ts";
import { emptyTuple, Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { expectPositional, intAt, iterableAt, prefixed, refuseNamed, takes, type BuiltinTable } from "./arguments.ts";
import { fillDict } from "./dict.ts";

export const collectionBuiltins: BuiltinTable = {
  all: takes(1, 1, (call) => !hasElement(call, false)),
  any: takes(1, 1, (call) => hasElement(call, true)),
  dict: (call) => {
    expectPositional({ ...call, named: [] }, 0, 1);
    call.thread.allocate(tableBytes);
    const result = new Dict();
    const seen = new Set<string>();
    for (const [name] of call.named) {
      if (seen.has(name)) throw new Failure(`dict: duplicate keyword arg: ${quote(name)}`);
      seen.add(name);
    }
    prefixed("dict", () => fillDict(call.thread, result, call.positional[0], call.named));
    return result;
  },
  enumerate: takes(1, 2, (call) => {
    const elements = iterableAt(call, 0);
    const start = intAt(call, 1, 0);
    const pairs: Value[] = [];
    iterate(elements, (element) => {
      call.thread.allocate(3 * elementBytes);
      call.thread.charge(1);
      pairs.push(new Tuple([start + pairs.length, element]));
    });
    return new List(pairs);
  }),
  list: takes(0, 1, (call) => new List(call.positional.length === 0 ? [] : toArray(call.thread, iterableAt(call, 0)))),
  range: takes(1, 3, (call) => {
    const first = intAt(call, 0, 0);
    const second = intAt(call, 1, 0);
    const step = intAt(call, 2, 1);
    if (step === 0) throw new Failure("range: step argument must not be zero");
    return call.positional.length === 1 ? new Range(0, first, 1) : new Range(first, second, step);
  }),
  reversed: takes(1, 1, (call) => new List(toArray(call.thread, iterableAt(call, 0)).reverse())),
  set: takes(0, 1, (call) => {
    call.thread.allocate(tableBytes);
    const result = new StarlarkSet();
    if (call.positional.length > 0) {
      const elements = iterableAt(call, 0);
      prefixed("set", () => addAll(call.thread, result, elements));
    }
    return result;
  }),
  tuple: takes(0, 1, (call) => {
    if (call.positional.length === 0) return emptyTuple;
    const [elements = null] = call.positional;
    return elements instanceof Tuple ? elements : new Tuple(toArray(call.thread, iterableAt(call, 0)));
  }),
  /** Tuples of the elements at the same place, up to the end of the shortest iterable. */
  zip: (call) => {
    refuseNamed(call);
    const columns = call.positional.map((column, index) => {
      if (isIterable(column)) return toArray(call.thread, column);
      throw new Failure(`zip: argument #${index + 1} is not iterable: ${typeName(column)}`);
    });
    if (columns.length === 0) return new List([]);
    let rows = Number.POSITIVE_INFINITY;
    for (const column of columns) rows = Math.min(rows, column.length);
    call.thread.allocate(rows * (columns.length + 1) * elementBytes);
    call.thread.charge(rows * columns.length);
    return new List(Array.from({ length: rows }, (_, row) => new Tuple(columns.map((column) => column[row] ?? null))));
  },
};

/** True if an element of the first argument has this truth value. */
function hasElement(call: BuiltinCall, truth: boolean): boolean {
  let isFound = false;
  iterate(iterableAt(call, 0), (element) => {
    call.thread.charge(1);
    isFound = isTrue(element) === truth;
    return !isFound;
  });
  return isFound;
}
