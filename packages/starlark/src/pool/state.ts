import { StarlarkError } from "../errors.ts";
import { Failure } from "../runtime/failure.ts";
import { Thread } from "../runtime/thread.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin, StarlarkFunction } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { HashTable } from "../values/hash-table.ts";
import { HostObject } from "../values/host-object.ts";
import { intFromBigInt } from "../values/int.ts";
import { List } from "../values/list.ts";
import { Range } from "../values/range.ts";
import { StarlarkSet } from "../values/set.ts";
import { BytesView, StringView, type StringViewKind } from "../values/string-view.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";

/**
 * The state of an evaluation, for a later one: its globals as JSON text. An item is a scalar, `[n]` for node n, or a
 * tag with its parts. A node is a container with its items, after the nodes that it refers to. Shared parts stay shared.
 */
type Item = null | boolean | number | string | readonly (string | number)[];
type Node = readonly [tag: ContainerTag, ...items: Item[]];
type ContainerTag = "list" | "tuple" | "set" | "dict";

/** Encodes globals, without functions. Throws if they take more than `maxBytes`. */
export function encodeState(thread: Thread, globals: ReadonlyMap<string, Value>, maxBytes: number): Uint8Array {
  const encoder = new StateEncoder(thread, maxBytes);
  const names = Array.from(globals, ([name, value]) => [name, encoder.item(value, 0)] as const);
  // Every character of a Starlark string is a byte, so the text is Latin-1.
  const text = JSON.stringify({ format, names, nodes: encoder.nodes });
  if (text.length > maxBytes) throw tooLarge(maxBytes);
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

/**
 * Decodes a state. It may come from outside, so everything in it is checked. It does not count towards the limits of
 * the program, because one that could be made must be usable.
 */
export function decodeState(state: Uint8Array): Map<string, Value> {
  try {
    const text = Buffer.from(state.buffer, state.byteOffset, state.byteLength).toString("latin1");
    const { format: given, names, nodes } = JSON.parse(text) as Record<string, unknown>;
    if (given !== format) throw new RangeError("it has another format");
    const decoder = new StateDecoder();
    for (const node of asArray(nodes)) decoder.add(asArray(node));
    return new Map(asArray(names).map((entry) => [asText(asArray(entry)[0]), decoder.item(asArray(entry)[1])]));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StarlarkError("conversion", `this is not the state of a Starlark program: ${why}`);
  }
}

const format = "starlark-state-1";
const deepestNesting = 500;

class StateEncoder {
  readonly nodes: Node[] = [];
  readonly #thread: Thread;
  readonly #maxBytes: number;
  readonly #indexes = new Map<Value, number | undefined>();
  #bytes = 0;

  constructor(thread: Thread, maxBytes: number) {
    this.#thread = thread;
    this.#maxBytes = maxBytes;
  }

  item(value: Value, depth: number): Item {
    this.#thread.charge(1);
    this.#spend(typeof value === "string" ? value.length : 8);
    if (typeof value === "bigint") return this.#tagged("int", value.toString(16));
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Float) return ["float", String(Object.is(value.value, -0) ? "-0" : value.value)];
    if (value instanceof Bytes) return this.#tagged("bytes", value.data);
    if (value instanceof Range) return ["range", value.start, value.stop, value.step];
    if (value instanceof StringView) return this.#tagged("string view", value.text, value.kind);
    if (value instanceof BytesView) return this.#tagged("bytes view", value.bytes.data);
    if (value instanceof StarlarkFunction) return this.#tagged("function", value.code.name);
    if (value instanceof Builtin) return this.#tagged("function", value.name);
    if (value instanceof HostObject) throw new StarlarkError("conversion", `cannot keep a ${typeName(value)}`);
    return [this.#indexOf(value, depth)];
  }

  #indexOf(value: List | Tuple | Dict | StarlarkSet, depth: number): number {
    const known = this.#indexes.get(value);
    if (known !== undefined) return known;
    if (this.#indexes.has(value)) {
      throw new StarlarkError("conversion", `cannot convert a ${typeName(value)} that contains itself`);
    }
    if (depth > deepestNesting) {
      throw new StarlarkError("conversion", `cannot convert a value nested more than ${deepestNesting} levels deep`);
    }
    this.#indexes.set(value, undefined);
    const index = this.nodes.push(this.#node(value, (part) => this.item(part, depth + 1))) - 1;
    this.#indexes.set(value, index);
    return index;
  }

  #node(value: List | Tuple | Dict | StarlarkSet, item: (part: Value) => Item): Node {
    if (value instanceof List) return ["list", ...value.elements.map(item)];
    if (value instanceof Tuple) return ["tuple", ...value.elements.map(item)];
    const entries = [...value.table.entries.values()];
    if (value instanceof StarlarkSet) return ["set", ...entries.map(({ key }) => item(key))];
    return ["dict", ...entries.flatMap((entry) => [item(entry.key), item(entry.value)])];
  }

  #tagged(tag: string, ...parts: string[]): Item {
    for (const part of parts) this.#spend(part.length);
    return [tag, ...parts];
  }

  #spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure(`the state takes more than ${maxBytes} bytes`, "limit");
}

class StateDecoder {
  readonly #thread = new Thread({ limits: { steps: Infinity, memoryBytes: Infinity } });
  readonly #nodes: Value[] = [];

  add([tag, ...parts]: readonly unknown[]): void {
    const items = parts.map((part) => this.item(part));
    this.#nodes.push(this.#container(tag, items));
  }

  item(given: unknown): Value {
    if (given === null || typeof given === "boolean") return given;
    if (typeof given === "string") return asText(given);
    if (typeof given === "number") return asInt(given);
    const [tag, first, second, third] = asArray(given);
    switch (tag) {
      case "int":
        return asBigInt(asText(first));
      case "float":
        return new Float(Number(asText(first)));
      case "bytes":
        return new Bytes(asText(first));
      case "range":
        return new Range(asInt(first), asInt(second), asInt(third) || 1);
      case "string view":
        return new StringView(asText(first), asKind(second));
      case "bytes view":
        return new BytesView(new Bytes(asText(first)));
      case "function":
        return goneFunction(asText(first));
      default:
        return this.#nodeAt(tag);
    }
  }

  #container(tag: unknown, items: Value[]): Value {
    if (tag === "list") return new List(items);
    if (tag === "tuple") return new Tuple(items);
    const table = new HashTable();
    if (tag === "set") {
      for (const key of items) table.set(this.#thread, key, null);
      return new StarlarkSet(table);
    }
    if (tag !== "dict") throw new RangeError("a container has an unknown kind");
    for (let at = 0; at + 1 < items.length; at += 2) table.set(this.#thread, items[at] ?? null, items[at + 1] ?? null);
    return new Dict(table);
  }

  #nodeAt(index: unknown): Value {
    const node = typeof index === "number" ? this.#nodes[index] : undefined;
    if (node === undefined) throw new RangeError("a reference leads nowhere");
    return node;
  }
}

/** Functions belong to the program that defined them. */
function goneFunction(name: string): Builtin {
  return new Builtin(name, () => {
    throw new Failure(`${name} was defined by an earlier program and is not kept`);
  });
}

function asArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new TypeError("a list is missing");
}

/** A Starlark string, whose characters are bytes. */
function asText(value: unknown): string {
  if (typeof value === "string" && !beyondBytes.test(value)) return value;
  throw new TypeError("a text is missing");
}

const beyondBytes = /[^\0-\xff]/;

function asInt(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new TypeError("a number is not an int");
}

/** Hexadecimal, which is quick to read at any length. */
function asBigInt(text: string): Value {
  if (!/^-?[0-9a-f]{1,1048577}$/.test(text)) throw new RangeError("an int is not one");
  return intFromBigInt(text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`));
}

function asKind(value: unknown): StringViewKind {
  if (value === "elems" || value === "elem_ords" || value === "codepoints" || value === "codepoint_ords") return value;
  throw new TypeError("a view has an unknown kind");
}
