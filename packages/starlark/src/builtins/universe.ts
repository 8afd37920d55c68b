import { Builtin, type BuiltinCall } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import * as collections from "./collections.ts";
import * as conversions from "./conversions.ts";
import * as inspection from "./inspection.ts";
import { max, min, sorted } from "./ordering.ts";

/** The predeclared names of every Starlark program. */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...Object.entries({
    abs: conversions.abs,
    all: collections.all,
    any: collections.any,
    bool: conversions.bool,
    bytes: conversions.bytes,
    chr: conversions.chr,
    dict: collections.dict,
    dir: inspection.dir,
    enumerate: collections.enumerate,
    fail: inspection.fail,
    float: conversions.float,
    getattr: inspection.getattr,
    hasattr: inspection.hasattr,
    hash: inspection.hash,
    int: conversions.int,
    len: inspection.len,
    list: collections.list,
    max,
    min,
    ord: conversions.ord,
    print: inspection.print,
    range: collections.range,
    repr: conversions.reprBuiltin,
    reversed: collections.reversed,
    set: collections.set,
    sorted,
    str: conversions.str,
    tuple: collections.tuple,
    type: inspection.type,
    zip: collections.zip,
  } satisfies Record<string, (call: BuiltinCall) => Value>).map(([name, implementation]): [string, Value] => {
    return [name, new Builtin(name, implementation)];
  }),
]);
