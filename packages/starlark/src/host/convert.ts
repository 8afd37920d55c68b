import { StarlarkError } from "../errors.ts";
import { encodeUtf8, decodeUtf8 } from "../utf8.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin, StarlarkFunction } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { HostObject } from "../values/host-object.ts";
import { intFromBigInt } from "../values/int.ts";
import { List } from "../values/list.ts";
import { elementBytes } from "../values/memory.ts";
import { Range } from "../values/range.ts";
import { StarlarkSet } from "../values/set.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { iterate, type Iterable } from "../values/iterate.ts";

/** Converts functions. `run` and the pool do it differently. */
export interface FunctionBridge {
  readonly toHost: (callable: StarlarkFunction | Builtin) => unknown;
  readonly fromHost: (callable: (...args: never[]) => unknown) => Value;
}

/**
 * A Starlark value as the host sees it. Ints beyond 2^53 are bigints, tuples frozen arrays, bytes a `Uint8Array`; a
 * dict is an object if its keys are strings whose order an object keeps, otherwise a Map. Shared parts stay shared.
 */
export function toHost(value: Value, bridge: FunctionBridge): unknown {
  const once = convertOnce<Value, unknown>((container) => `a ${typeName(container)}`);
  const convert = (part: Value, depth: number): unknown => {
    if (typeof part === "string") return decodeUtf8(part);
    if (typeof part !== "object" || part === null) return part;
    if (part instanceof Float) return part.value;
    if (part instanceof StarlarkFunction || part instanceof Builtin) return bridge.toHost(part);
    if (part instanceof HostObject) return part;
    return once(part, depth, () => containerToHost(part, (inner) => convert(inner, depth + 1)));
  };
  return convert(value, 0);
}

function containerToHost(container: Bytes | Exclude<Iterable, HostObject>, convert: (part: Value) => unknown): unknown {
  if (container instanceof Bytes) return Uint8Array.from(Buffer.from(container.data, "latin1"));
  if (container instanceof Dict) return dictToHost(container, convert);
  if (container instanceof Range && container.length > maxRangeLength) {
    throw conversionError(`cannot convert a range of ${container.length} elements`);
  }
  const elements: unknown[] = [];
  iterate(container, (element) => void elements.push(convert(element)));
  if (container instanceof StarlarkSet) return new Set(elements);
  return container instanceof Tuple ? Object.freeze(elements) : elements;
}

function dictToHost(dict: Dict, convert: (part: Value) => unknown): unknown {
  const entries = Array.from(dict.table.entries.values(), ({ key, value }) => [convert(key), convert(value)] as const);
  if (!entries.every(([key]) => typeof key === "string")) return new Map(entries);
  const object = Object.fromEntries(entries);
  // An object puts keys that look like array indexes first; a Map keeps every order.
  const keepsOrder = Object.keys(object).every((key, index) => key === entries[index]?.[0]);
  return keepsOrder && entries.length === Object.keys(object).length ? object : new Map(entries);
}

const maxRangeLength = 10_000_000;

/**
 * A host value as Starlark sees it. A number is an int if it is whole, otherwise a float; wrap it in `Float` to make
 * it a float in any case. Functions become built-ins. Throws for values without a Starlark counterpart.
 */
export function fromHost(thread: Thread, value: unknown, bridge: FunctionBridge): Value {
  const once = convertOnce<object, Value>(() => "an object");
  const convert = (part: unknown, depth: number): Value => {
    switch (typeof part) {
      case "undefined":
        return null;
      case "boolean":
        return part;
      case "string":
        return encodeUtf8(part);
      case "bigint":
        return intFromBigInt(part);
      case "number":
        return Number.isSafeInteger(part) && !Object.is(part, -0) ? part : new Float(part);
      case "function":
        return bridge.fromHost(part as (...args: never[]) => unknown);
      case "object":
        if (part === null || part instanceof Float || part instanceof HostObject || part instanceof Builtin)
          return part;
        return once(part, depth, () => containerFromHost(thread, part, (inner) => convert(inner, depth + 1)));
      default:
        throw conversionError(`cannot convert a ${typeof part} to a Starlark value`);
    }
  };
  return convert(value, 0);
}

function containerFromHost(thread: Thread, container: object, convert: (part: unknown) => Value): Value {
  if (container instanceof ArrayBuffer) return new Bytes(Buffer.from(container).toString("latin1"));
  if (ArrayBuffer.isView(container)) {
    return new Bytes(Buffer.from(container.buffer, container.byteOffset, container.byteLength).toString("latin1"));
  }
  if (Array.isArray(container)) {
    const elements = container.map(convert);
    thread.allocate(elements.length * elementBytes);
    return Object.isFrozen(container) ? new Tuple(elements) : new List(elements);
  }
  if (container instanceof Set) {
    const set = new StarlarkSet();
    for (const element of container) set.table.set(thread, convert(element), null);
    return set;
  }
  const prototype: unknown = Object.getPrototypeOf(container);
  const isPlain = prototype === null || prototype === Object.prototype;
  if (!(container instanceof Map) && !isPlain) {
    throw conversionError(`cannot convert a ${container.constructor.name} to a Starlark value`);
  }
  const dict = new Dict();
  for (const [key, element] of container instanceof Map ? container : Object.entries(container)) {
    dict.table.set(thread, convert(key), convert(element));
  }
  return dict;
}

/** Converts each container once, so that shared parts stay shared and cycles are found. */
function convertOnce<From, To>(describe: (value: From) => string) {
  const known = new Map<From, To | typeof inProgress>();
  return (value: From, depth: number, run: () => To): To => {
    const found = known.get(value);
    if (found === inProgress) throw conversionError(`cannot convert ${describe(value)} that contains itself`);
    if (found !== undefined) return found;
    if (depth > deepestNesting) throw conversionError(`cannot convert a value nested more than ${deepestNesting} deep`);
    known.set(value, inProgress);
    const converted = run();
    known.set(value, converted);
    return converted;
  };
}

const inProgress = Symbol("in progress");
const deepestNesting = 500;

function conversionError(reason: string): StarlarkError {
  return new StarlarkError("conversion", reason);
}
