import { StarlarkError } from "../errors.ts";
import type { Thread } from "../runtime/thread.ts";
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
 * A value as plain data: a scalar, `[n]` for node n, or a tag with its parts. A node is a container with its items,
 * after the nodes that it refers to. Shared parts stay shared.
 */
export type Item = null | boolean | number | string | TaggedItem;
export type TaggedItem = readonly unknown[];
export type Node = readonly [tag: "list" | "tuple" | "set" | "dict", ...items: Item[]];

export interface EncoderOptions {
  /** Called with the bytes of each value without its parts, and of each text. Throws if there are too many. */
  readonly spend: (bytes: number, value?: Value) => void;
  readonly encodeFunction: (callable: StarlarkFunction | Builtin) => TaggedItem;
  readonly encodeObject: (object: HostObject) => TaggedItem;
}

/** Encodes values. Throws if one contains itself. */
export class Encoder {
  readonly nodes: Node[] = [];
  readonly #options: EncoderOptions;
  readonly #indexes = new Map<Value, number | undefined>();

  constructor(options: EncoderOptions) {
    this.#options = options;
  }

  item(value: Value, depth = 0): Item {
    this.#options.spend(8, value);
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") return ["int", this.#text(value.toString(16))];
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Float) return ["float", String(Object.is(value.value, -0) ? "-0" : value.value)];
    if (value instanceof Bytes) return ["bytes", this.#text(value.data)];
    if (value instanceof Range) return ["range", value.start, value.stop, value.step];
    if (value instanceof StringView) return ["string view", this.#text(value.text), value.kind];
    if (value instanceof BytesView) return ["bytes view", this.#text(value.bytes.data)];
    if (value instanceof StarlarkFunction || value instanceof Builtin) return this.#options.encodeFunction(value);
    if (value instanceof HostObject) return this.#options.encodeObject(value);
    return [this.#indexOf(value, depth)];
  }

  #text(text: string): string {
    this.#options.spend(text.length);
    return text;
  }

  #indexOf(value: List | Tuple | Dict | StarlarkSet, depth: number): number {
    const known = this.#indexes.get(value);
    if (known !== undefined) return known;
    if (this.#indexes.has(value)) throw unconvertible(`a ${typeName(value)} that contains itself`);
    if (depth > deepestNesting) throw unconvertible(`a value nested more than ${deepestNesting} levels deep`);
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
}

const deepestNesting = 500;

function unconvertible(what: string): StarlarkError {
  return new StarlarkError("conversion", `cannot convert ${what}`);
}

/** Decodes values. They may come from outside, so everything is checked. The results are new and not frozen. */
export class Decoder {
  readonly #thread: Thread;
  readonly #decodeOther: (item: TaggedItem) => Value;
  readonly #nodes: Value[] = [];

  /** `decodeOther` decodes functions and objects of the host. */
  constructor(thread: Thread, decodeOther: (item: TaggedItem) => Value) {
    this.#thread = thread;
    this.#decodeOther = decodeOther;
  }

  add([tag, ...parts]: readonly unknown[]): void {
    const items = parts.map((part) => this.item(part));
    this.#nodes.push(this.#container(tag, items));
  }

  item(given: unknown): Value {
    if (given === null || typeof given === "boolean") return given;
    if (typeof given === "string") return asText(given);
    if (typeof given === "number") return asInt(given);
    const item = asArray(given);
    const [tag, first, second, third] = item;
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
      default:
        return typeof tag === "number" ? this.#nodeAt(tag) : this.#decodeOther(item);
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

  #nodeAt(index: number): Value {
    const node = this.#nodes[index];
    if (node === undefined) throw new RangeError("a reference leads nowhere");
    return node;
  }
}

export function asArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new TypeError("a list is missing");
}

/** A Starlark string, whose characters are bytes. */
export function asText(value: unknown): string {
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
