import type { Path, Problem } from "../../call/rules/problem.ts";
import type { Range } from "../../config/yaml-source.ts";
import { BiplaneError } from "../../errors.ts";

/** A text of JSON as plain data, and where everything in it stands. */
export interface JsoncSource {
  readonly value: unknown;
  /** From where to where something is written; of what is missing, where that which lacks it is. */
  readonly rangeOf: (path: Path, at: Problem["at"]) => Range;
  /** Where texts stand that are no keys: what may be secret is among them. */
  readonly texts: readonly Range[];
}

/** What keeps a text from being read; `details.offset` says where. */
export type JsoncFault = BiplaneError;

/** Reads JSON as editors write it: with comments, and commas after the last of a list. */
export function readJsonc(text: string): JsoncSource {
  if (text.length > longestText) throw fault(0, `is longer than ${longestText} characters`);
  const reader = new Reader(text);
  const root = reader.document();
  return { value: root.value, rangeOf: (path, at) => rangeOf(root, path, at), texts: reader.texts };
}

export const longestText = 1024 * 1024;
const deepest = 64;

interface Node {
  readonly value: unknown;
  readonly range: Range;
  /** Of an object or a list: what is in it, and where its keys stand. */
  readonly parts?: ReadonlyMap<string, { readonly node: Node; readonly key?: Range }>;
}

class Reader {
  readonly texts: Range[] = [];
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith("\uFEFF")) this.#at = 1;
  }

  document(): Node {
    const root = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw fault(this.#at, `has ${this.#seen()} after its end`);
    return root;
  }

  #value(): Node {
    this.#skip();
    const start = this.#at;
    const sign = this.#text[start];
    if (sign === "{" || sign === "[") return this.#within(() => (sign === "{" ? this.#object() : this.#list()));
    if (sign === '"') {
      const value = this.#string();
      this.texts.push([start, this.#at]);
      return { value, range: [start, this.#at] };
    }
    const plain = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
    if (plain === undefined) throw fault(start, `has ${this.#seen()} where a value should be`);
    return { value: JSON.parse(plain) as unknown, range: [start, this.#at] };
  }

  #within(read: () => Node): Node {
    if (++this.#depth > deepest) throw fault(this.#at, "is nested too deeply");
    const node = read();
    this.#depth--;
    return node;
  }

  #object(): Node {
    const start = this.#at++;
    const value: Record<string, unknown> = {};
    const parts = new Map<string, { node: Node; key: Range }>();
    while (!this.#ends("}", parts.size > 0)) {
      const at = this.#at;
      if (this.#text[at] !== '"') throw fault(at, `has ${this.#seen()} where a key in double quotes should be`);
      const name = this.#string();
      const key: Range = [at, this.#at];
      if (name === "__proto__") throw fault(at, "has __proto__, which may not be a key");
      if (parts.has(name)) throw fault(at, `has ${JSON.stringify(name.slice(0, 80))} twice`);
      this.#skip();
      if (this.#text[this.#at] !== ":") throw fault(this.#at, `has ${this.#seen()} where a colon should be`);
      this.#at++;
      const node = this.#value();
      value[name] = node.value;
      parts.set(name, { node, key });
    }
    return { value, range: [start, this.#at], parts };
  }

  #list(): Node {
    const start = this.#at++;
    const value: unknown[] = [];
    const parts = new Map<string, { node: Node }>();
    while (!this.#ends("]", value.length > 0)) {
      const node = this.#value();
      parts.set(String(value.length), { node });
      value.push(node.value);
    }
    return { value, range: [start, this.#at], parts };
  }

  /** Whether the end is here; otherwise goes to what comes next. A comma may stand before the end. */
  #ends(sign: "}" | "]", isLater: boolean): boolean {
    this.#skip();
    if (isLater && this.#text[this.#at] === ",") {
      this.#at++;
      this.#skip();
    } else if (isLater && this.#text[this.#at] !== sign) {
      throw fault(this.#at, `has ${this.#seen()} where a comma or ${sign} should be`);
    }
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #string(): string {
    const start = this.#at;
    const written = this.#match(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y);
    if (written === undefined) throw fault(start, "has a text that does not end");
    try {
      return JSON.parse(written) as string;
    } catch {
      throw fault(start, "has a text with something in it that JSON does not allow");
    }
  }

  #skip(): void {
    for (;;) {
      this.#match(/[ \t\r\n]*/y);
      const end = this.#text.startsWith("//", this.#at)
        ? "\n"
        : this.#text.startsWith("/*", this.#at)
          ? "*/"
          : undefined;
      if (end === undefined) return;
      const found = this.#text.indexOf(end, this.#at + 2);
      if (found === -1 && end === "*/") throw fault(this.#at, "has a comment that does not end");
      this.#at = found === -1 ? this.#text.length : found + end.length;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #seen(): string {
    const sign = this.#text[this.#at];
    return sign === undefined ? "nothing more" : JSON.stringify(sign);
  }
}

function rangeOf(root: Node, path: Path, at: Problem["at"]): Range {
  let node = root;
  let key: Range | undefined;
  for (const step of path) {
    const part = node.parts?.get(String(step));
    if (!part) return key ?? [node.range[0], node.range[0] + 1];
    ({ node, key } = { node: part.node, key: part.key });
  }
  return key && at === "key" ? key : node.range;
}

function fault(offset: number, message: string): JsoncFault {
  return new BiplaneError("INVALID_DEFINITION", message, { details: { offset } });
}
