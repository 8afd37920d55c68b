import { parseIntLiteral } from "../builtins/parse-number.ts";
import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { Dict } from "../values/dict.ts";
import { Float } from "../values/float.ts";
import { List } from "../values/list.ts";
import { elementBytes, storedBytes, tableBytes } from "../values/memory.ts";
import type { Value } from "../values/value.ts";

/** Parses JSON. Numbers without point and exponent are ints of any size, others floats. */
export function parseJson(thread: Thread, text: string): Value {
  thread.charge(text.length >> 3);
  const reader = new JsonReader(thread, text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** Reads a Starlark string, whose characters are bytes. All syntax of JSON is ASCII. */
class JsonReader {
  readonly #thread: Thread;
  readonly #text: string;
  #at = 0;

  constructor(thread: Thread, text: string) {
    this.#thread = thread;
    this.#text = text;
  }

  value(depth: number): Value {
    if (depth > deepest) throw this.#error(`nested more than ${deepest} levels deep`);
    this.#thread.charge(1);
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#list(depth + 1);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error("unexpected text after the value");
  }

  #object(depth: number): Dict {
    const found = new Dict();
    this.#thread.allocate(tableBytes);
    this.#at++;
    if (this.#takes("}")) return found;
    do {
      this.#skipSpace();
      const key = this.#string();
      if (!this.#takes(":")) throw this.#error('":" is missing');
      found.table.set(this.#thread, key, this.value(depth));
    } while (this.#takes(","));
    if (!this.#takes("}")) throw this.#error('"," or "}" is missing');
    return found;
  }

  #list(depth: number): List {
    const found: Value[] = [];
    this.#at++;
    if (this.#takes("]")) return new List(found);
    do {
      const element = this.value(depth);
      this.#thread.allocate(elementBytes + storedBytes(element));
      found.push(element);
    } while (this.#takes(","));
    if (!this.#takes("]")) throw this.#error('"," or "]" is missing');
    return new List(found);
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#error("a string is missing");
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#at >= this.#text.length) throw this.#error("a string is not closed");
      if (this.#text[this.#at] === "\\") this.#at++;
    }
    this.#at++;
    this.#thread.allocate(this.#at - start);
    try {
      return encodeUtf8(JSON.parse(decodeUtf8(this.#text.slice(start, this.#at))) as string);
    } catch {
      this.#at = start;
      throw this.#error("a string contains invalid characters");
    }
  }

  #scalar(): Value {
    // A pattern that runs over millions of digits would need more stack than there is.
    const [token = "", , fraction] = scalar.exec(this.#text.slice(this.#at, this.#at + longestScalar)) ?? [];
    if (token === "") throw this.#error("a value is missing");
    if (token.length === longestScalar) throw new Failure(`int too large (more than ${longestScalar} digits)`, "limit");
    this.#at += token.length;
    if (token === "true" || token === "false") return token === "true";
    if (token === "null") return null;
    if (fraction !== undefined && fraction !== "") return new Float(Number(token));
    return parseIntLiteral(this.#thread, token, 10);
  }

  #takes(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    space.lastIndex = this.#at;
    space.exec(this.#text);
    this.#at = space.lastIndex;
  }

  #error(why: string): Failure {
    return new Failure(`at character ${this.#at + 1}: ${why}`);
  }
}

const deepest = 400;
const space = /[ \t\n\r]*/y;
const scalar = /^(?:true|false|null|(-?(?:0|[1-9]\d*))((?:\.\d+)?(?:[eE][+-]?\d+)?))/;
const longestScalar = 400_000;
