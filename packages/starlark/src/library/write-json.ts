import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { decodeUtf8 } from "../utf8.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin, StarlarkFunction } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { HostObject } from "../values/host-object.ts";
import { chargeDecimal, digitsOfLarge } from "../values/int.ts";
import { iterate } from "../values/iterate.ts";
import { repr } from "../values/repr.ts";
import { typeName, type Value } from "../values/value.ts";

export interface JsonOptions {
  readonly maxBytes: number;
  /** Maximum number of values, keys included (default: no limit). */
  readonly maxParts?: number;
  readonly maxDepth?: number;
  /**
   * For display: large ints become strings, keys become text, and values without a JSON form become a description.
   * Otherwise such a value is an error.
   */
  readonly isForDisplay?: boolean;
}

/**
 * Encodes a value as JSON. The size is checked while encoding, because shared parts can expand enormously. If the value
 * is larger than allowed, it is cut: the text is then its beginning.
 */
export function writeJson(thread: Thread, value: Value, options: JsonOptions): { text: string; isCut: boolean } {
  const writer = new JsonWriter(thread, options);
  try {
    writer.value(value);
    return { text: writer.text, isCut: false };
  } catch (error) {
    if (error !== isFull) throw error;
    return { text: writer.text, isCut: true };
  }
}

const isFull = new Error("the text is full");
const defaultMaxDepth = 400;
const maxKeyBytes = 10_000;

class JsonWriter {
  readonly #thread: Thread;
  readonly #maxDepth: number;
  readonly #isForDisplay: boolean;
  readonly #parts: string[] = [];
  readonly #open = new Set<Value>();
  #bytesLeft: number;
  #partsLeft: number;

  constructor(thread: Thread, { maxBytes, maxParts = Infinity, maxDepth, isForDisplay }: JsonOptions) {
    this.#thread = thread;
    this.#bytesLeft = maxBytes;
    this.#partsLeft = maxParts;
    this.#maxDepth = maxDepth ?? defaultMaxDepth;
    this.#isForDisplay = isForDisplay ?? false;
  }

  get text(): string {
    return this.#parts.join("");
  }

  value(value: Value): void {
    this.#thread.charge(1);
    if (--this.#partsLeft < 0) throw isFull;
    if (value === null) this.#write("null");
    else if (typeof value === "string") this.#string(value);
    else if (typeof value === "boolean" || typeof value === "number") this.#write(String(value));
    else if (typeof value === "bigint") this.#bigInt(value);
    else this.#object(value);
  }

  #object(value: Exclude<Value, null | string | boolean | number | bigint>): void {
    if (value instanceof Float && Number.isFinite(value.value)) return this.#write(JSON.stringify(value.value));
    if (value instanceof Float) return this.#string(this.#described(`the float ${value.value}`, String(value.value)));
    if (value instanceof Bytes) return this.#text(this.#described("bytes", value.data), (data) => data);
    if (value instanceof StarlarkFunction || value instanceof Builtin)
      return this.#string(this.#described("a function", `<function ${value.name}>`));
    if (value instanceof HostObject)
      return this.#string(this.#described(`a ${typeName(value)}`, repr(this.#thread, value)));
    if (this.#open.has(value))
      throw new Failure(`cannot convert a ${typeName(value)} that contains itself`, "conversion");
    if (this.#open.size >= this.#maxDepth)
      throw new Failure(`cannot convert a value nested more than ${this.#maxDepth} levels deep`, "conversion");
    this.#open.add(value);
    if (value instanceof Dict) this.#dict(value);
    else this.#list(value);
    this.#open.delete(value);
  }

  #list(value: Parameters<typeof iterate>[0]): void {
    let separator = "[";
    iterate(value, (element) => {
      this.#write(separator);
      separator = ",";
      this.value(element);
    });
    this.#write(separator === "[" ? "[]" : "]");
  }

  #dict({ table }: Dict): void {
    let separator = "{";
    for (const { key, value } of table.entries.values()) {
      this.#write(separator);
      separator = ",";
      if (--this.#partsLeft < 0) throw isFull;
      this.#string(this.#key(key));
      this.#write(":");
      this.value(value);
    }
    this.#write(separator === "{" ? "{}" : "}");
  }

  #key(key: Value): string {
    if (typeof key === "string") return key;
    if (!this.#isForDisplay) throw new Failure(`a key must be a string, not ${typeName(key)}`, "conversion");
    const { text } = writeJson(this.#thread, key, { maxBytes: maxKeyBytes, isForDisplay: true });
    return typeof key === "bigint" ? text.slice(1, -1) : text;
  }

  /** A Starlark string. Its characters are bytes. */
  #string(bytes: string): void {
    this.#text(bytes, decodeUtf8);
  }

  #text(bytes: string, decode: (bytes: string) => string): void {
    const isTooLong = bytes.length > this.#bytesLeft;
    this.#thread.charge(Math.min(bytes.length, this.#bytesLeft) >> 4);
    this.#write(JSON.stringify(decode(isTooLong ? bytes.slice(0, this.#bytesLeft) : bytes)));
    if (isTooLong) throw isFull;
  }

  #bigInt(value: bigint): void {
    // The digits of a large int take long to compute, so do not begin if they do not fit.
    if (digitsOfLarge(value) > this.#bytesLeft) throw isFull;
    chargeDecimal(this.#thread, value);
    this.#write(this.#isForDisplay ? `"${value}"` : String(value));
  }

  #described(what: string, description: string): string {
    if (!this.#isForDisplay) throw new Failure(`JSON cannot represent ${what}`, "conversion");
    return description;
  }

  #write(text: string): void {
    this.#thread.allocate(text.length + 8);
    this.#parts.push(text.length > this.#bytesLeft ? text.slice(0, this.#bytesLeft) : text);
    this.#bytesLeft -= text.length;
    if (this.#bytesLeft < 0) throw isFull;
  }
}
