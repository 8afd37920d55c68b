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
import type { BytesView, StringView } from "../values/string-view.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { isIterable, iterate } from "../values/iterate.ts";

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
  return new ToHost(bridge).convert(value, 0);
}

/**
 * A host value as Starlark sees it. A number is an int if it is whole, otherwise a float; wrap it in `Float` to make
 * it a float in any case. Functions become built-ins. Throws for values without a Starlark counterpart.
 */
export function fromHost(thread: Thread, value: unknown, bridge: FunctionBridge): Value {
  return new FromHost(thread, bridge).convert(value, 0);
}

const deepestNesting = 500;

/** The containers that were converted, so that shared parts stay shared and cycles are found. */
class Converted<From, To> {
  readonly #known = new Map<From, To | typeof inProgress>();
  readonly #describe: (value: From) => string;

  constructor(describe: (value: From) => string) {
    this.#describe = describe;
  }

  convert(value: From, depth: number, run: () => To): To {
    const known = this.#known.get(value);
    if (known === inProgress) throw conversionError(`cannot convert ${this.#describe(value)} that contains itself`);
    if (known !== undefined) return known;
    if (depth > deepestNesting) throw conversionError(`cannot convert a value nested more than ${deepestNesting} deep`);
    this.#known.set(value, inProgress);
    const converted = run();
    this.#known.set(value, converted);
    return converted;
  }
}

const inProgress = Symbol("in progress");

class ToHost {
  readonly #bridge: FunctionBridge;
  readonly #done = new Converted<Value, unknown>((value) => `a ${typeName(value)}`);

  constructor(bridge: FunctionBridge) {
    this.#bridge = bridge;
  }

  convert(value: Value, depth: number): unknown {
    if (typeof value === "string") return decodeUtf8(value);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Float) return value.value;
    if (value instanceof StarlarkFunction || value instanceof Builtin) return this.#bridge.toHost(value);
    if (value instanceof HostObject) return value;
    return this.#done.convert(value, depth, () => this.#convertContainer(value, depth + 1));
  }

  #convertContainer(
    value: Bytes | Tuple | List | Dict | StarlarkSet | Range | StringView | BytesView,
    depth: number,
  ): unknown {
    if (value instanceof Bytes) return Uint8Array.from(Buffer.from(value.data, "latin1"));
    if (value instanceof List) return value.elements.map((element) => this.convert(element, depth));
    if (value instanceof Tuple) return Object.freeze(value.elements.map((element) => this.convert(element, depth)));
    if (value instanceof Dict) return this.#convertDict(value, depth);
    const elements: unknown[] = [];
    if (value instanceof Range && value.length > maxRangeLength) {
      throw conversionError(`cannot convert a range of ${value.length} elements`);
    }
    if (isIterable(value)) iterate(value, (element) => void elements.push(this.convert(element, depth)));
    return value instanceof StarlarkSet ? new Set(elements) : elements;
  }

  #convertDict(dict: Dict, depth: number): unknown {
    const entries = Array.from(dict.table.entries.values(), ({ key, value }) => {
      return [this.convert(key, depth), this.convert(value, depth)] as const;
    });
    if (!entries.every(([key]) => typeof key === "string")) return new Map(entries);
    const object = Object.fromEntries(entries);
    // An object puts keys that look like array indexes first; a Map keeps every order.
    const keepsOrder = Object.keys(object).every((key, index) => key === entries[index]?.[0]);
    return keepsOrder && entries.length === Object.keys(object).length ? object : new Map(entries);
  }
}

const maxRangeLength = 10_000_000;

class FromHost {
  readonly #thread: Thread;
  readonly #bridge: FunctionBridge;
  readonly #done = new Converted<object, Value>(() => "an object");

  constructor(thread: Thread, bridge: FunctionBridge) {
    this.#thread = thread;
    this.#bridge = bridge;
  }

  convert(value: unknown, depth: number): Value {
    switch (typeof value) {
      case "undefined":
        return null;
      case "boolean":
        return value;
      case "string":
        return encodeUtf8(value);
      case "bigint":
        return intFromBigInt(value);
      case "number":
        return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : new Float(value);
      case "function":
        return this.#bridge.fromHost(value as (...args: never[]) => unknown);
      case "object":
        return value === null ? null : this.#convertObject(value, depth);
      default:
        throw conversionError(`cannot convert a ${typeof value} to a Starlark value`);
    }
  }

  #convertObject(value: object, depth: number): Value {
    if (value instanceof Float || value instanceof HostObject || value instanceof Builtin) return value;
    if (value instanceof ArrayBuffer) return new Bytes(Buffer.from(value).toString("latin1"));
    if (ArrayBuffer.isView(value)) {
      return new Bytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1"));
    }
    return this.#done.convert(value, depth, () => this.#convertContainer(value, depth + 1));
  }

  #convertContainer(value: object, depth: number): Value {
    const thread = this.#thread;
    if (Array.isArray(value)) {
      const elements = value.map((element) => this.convert(element, depth));
      thread.allocate(elements.length * elementBytes);
      return Object.isFrozen(value) ? new Tuple(elements) : new List(elements);
    }
    if (value instanceof Set) {
      const set = new StarlarkSet();
      for (const element of value) set.table.set(thread, this.convert(element, depth), null);
      return set;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === null || prototype === Object.prototype;
    if (!(value instanceof Map) && !isPlain) {
      throw conversionError(`cannot convert a ${value.constructor.name} to a Starlark value`);
    }
    const dict = new Dict();
    for (const [key, element] of value instanceof Map ? value : Object.entries(value)) {
      dict.table.set(thread, this.convert(key, depth), this.convert(element, depth));
    }
    return dict;
  }
}

function conversionError(reason: string): StarlarkError {
  return new StarlarkError("conversion", reason);
}
