import { Float } from "../../../starlark/index.ts";

/** Reads JSON as Starlark has it: a number without a point or exponent is an int of any size, others are floats. */
export function readJson(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > deepest) throw this.#wrong(`it nests more than ${deepest} deep`);
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
    if (this.#at < this.#text.length) throw this.#wrong("there is more after the value");
  }

  /** A Map, so that keys stay in their order and mean nothing to the host. */
  #object(depth: number): Map<string, unknown> {
    const found = new Map<string, unknown>();
    this.#at++;
    if (this.#takes("}")) return found;
    do {
      this.#skipSpace();
      const key = this.#string();
      if (!this.#takes(":")) throw this.#wrong('":" is missing');
      found.set(key, this.value(depth));
    } while (this.#takes(","));
    if (!this.#takes("}")) throw this.#wrong('"," or "}" is missing');
    return found;
  }

  #list(depth: number): unknown[] {
    const found: unknown[] = [];
    this.#at++;
    if (this.#takes("]")) return found;
    do found.push(this.value(depth));
    while (this.#takes(","));
    if (!this.#takes("]")) throw this.#wrong('"," or "]" is missing');
    return found;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#wrong("a string is missing");
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#at >= this.#text.length) throw this.#wrong("a string does not end");
      if (this.#text[this.#at] === "\\") this.#at++;
    }
    this.#at++;
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      throw this.#wrong("a string holds what it may not");
    }
  }

  #scalar(): unknown {
    scalar.lastIndex = this.#at;
    const [word = "", , fraction] = scalar.exec(this.#text) ?? [];
    if (word === "") throw this.#wrong("a value is missing");
    this.#at += word.length;
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    if (fraction !== undefined && fraction !== "") return new Float(Number(word));
    const number = Number(word);
    return Number.isSafeInteger(number) && !Object.is(number, -0) ? number : BigInt(word);
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

  #wrong(why: string): Error {
    return new Error(`at character ${this.#at + 1}: ${why}`);
  }
}

const deepest = 400;
const space = /[ \t\n\r]*/y;
const scalar = /true|false|null|(-?(?:0|[1-9]\d*))((?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
