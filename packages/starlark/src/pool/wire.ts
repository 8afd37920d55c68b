import { StarlarkError } from "../errors.ts";
import { HostObject } from "../values/host-object.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin, StarlarkFunction } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { HashTable } from "../values/hash-table.ts";
import { List } from "../values/list.ts";
import { Range } from "../values/range.ts";
import { StarlarkSet } from "../values/set.ts";
import { BytesView, StringView, type StringViewKind } from "../values/string-view.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import type { Thread } from "../runtime/thread.ts";

/** A Starlark value encoded for `postMessage`. Everything but scalars has a tag and parts. */
export type Wire = null | boolean | number | bigint | string | TaggedWire;

export interface TaggedWire {
  readonly tag: string;
  readonly parts: readonly Wire[];
}

export function tagged(tag: string, ...parts: Wire[]): TaggedWire {
  return { tag, parts };
}

export interface WireFunctions {
  readonly encode: (callable: StarlarkFunction | Builtin) => Wire;
  readonly decode: (wire: TaggedWire) => Value;
  readonly encodeNamespace: (object: HostObject) => Wire;
  /** Bytes that the message can still have (default: unlimited). */
  readonly budget?: { left: number };
}

/** Maximum size of one message of a worker. A shared string is free for the program, but is sent once per use. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** Encodes a value. Shared parts stay shared. Throws if a value contains itself. */
export function encodeWire(value: Value, functions: WireFunctions): Wire {
  const done = new Map<Value, Wire | undefined>();
  const { budget } = functions;
  const encode = (part: Value, depth: number): Wire => {
    if (budget && (budget.left -= bytesOf(part)) < 0) {
      throw new StarlarkError("conversion", `cannot convert values with more than ${maxMessageBytes} bytes`);
    }
    if (typeof part !== "object" || part === null) return part;
    if (part instanceof Float) return tagged("float", part.value);
    if (part instanceof StarlarkFunction || part instanceof Builtin) return functions.encode(part);
    if (part instanceof HostObject) return functions.encodeNamespace(part);
    if (done.has(part)) {
      const known = done.get(part);
      if (known === undefined) {
        throw new StarlarkError("conversion", `cannot convert a ${typeName(part)} that contains itself`);
      }
      return known;
    }
    if (depth > deepestNesting) {
      throw new StarlarkError("conversion", `cannot convert a value nested more than ${deepestNesting} deep`);
    }
    done.set(part, undefined);
    const encoded = encodeContainer(part, (inner) => encode(inner, depth + 1));
    done.set(part, encoded);
    return encoded;
  };
  return encode(value, 0);
}

/** What a value adds to its message, without its parts. A range is sent whole, because the host makes it a list. */
function bytesOf(part: Value): number {
  if (typeof part === "string") return 8 + part.length;
  if (typeof part === "bigint") return 8 + Math.ceil(part.toString(16).length / 2);
  return part instanceof Range ? 8 * (1 + part.length) : 8;
}

/** Decodes a value. The result is new and not frozen. */
export function decodeWire(thread: Thread, wire: Wire, functions: WireFunctions): Value {
  const done = new Map<Wire, Value>();
  const decode = (part: Wire): Value => {
    if (typeof part !== "object" || part === null) return part;
    const known = done.get(part);
    if (known !== undefined) return known;
    const decoded = decodeTagged(thread, part, { decode, functions });
    done.set(part, decoded);
    return decoded;
  };
  return decode(wire);
}

const deepestNesting = 500;

type Container = Exclude<
  Value,
  null | boolean | number | bigint | string | Float | StarlarkFunction | Builtin | HostObject
>;

function encodeContainer(value: Container, encode: (part: Value) => Wire): Wire {
  if (value instanceof List) return { tag: "list", parts: value.elements.map(encode) };
  if (value instanceof Tuple) return { tag: "tuple", parts: value.elements.map(encode) };
  if (value instanceof Bytes) return tagged("bytes", value.data);
  if (value instanceof Range) return tagged("range", value.start, value.stop, value.step);
  if (value instanceof StringView) return tagged("string view", value.text, value.kind);
  if (value instanceof BytesView) return tagged("bytes view", value.bytes.data);
  const entries = Array.from(value.table.entries.values());
  if (value instanceof StarlarkSet) return { tag: "set", parts: entries.map(({ key }) => encode(key)) };
  return { tag: "dict", parts: entries.flatMap((entry) => [encode(entry.key), encode(entry.value)]) };
}

function decodeTagged(
  thread: Thread,
  wire: TaggedWire,
  { decode, functions }: { decode: (part: Wire) => Value; functions: WireFunctions },
): Value {
  const { tag, parts } = wire;
  const [first = null, second = null, third = null] = parts;
  switch (tag) {
    case "float":
      return new Float(Number(first));
    case "bytes":
      return new Bytes(first as string);
    case "list":
      return new List(parts.map(decode));
    case "tuple":
      return new Tuple(parts.map(decode));
    case "range":
      return new Range(Number(first), Number(second), Number(third));
    case "string view":
      return new StringView(first as string, second as StringViewKind);
    case "bytes view":
      return new BytesView(new Bytes(first as string));
    case "set":
      return new StarlarkSet(fillTable(thread, parts, 1, decode));
    case "dict":
      return new Dict(fillTable(thread, parts, 2, decode));
    default:
      return functions.decode(wire);
  }
}

function fillTable(thread: Thread, parts: readonly Wire[], width: 1 | 2, decode: (part: Wire) => Value): HashTable {
  const table = new HashTable();
  for (let index = 0; index < parts.length; index += width) {
    table.set(thread, decode(parts[index] ?? null), width === 1 ? null : decode(parts[index + 1] ?? null));
  }
  return table;
}
