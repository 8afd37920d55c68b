import { encodeUtf8 } from "../utf8.ts";
import type { Float } from "../values/float.ts";
import type { Bytes } from "../values/bytes.ts";
import { scanNumber } from "./scan-number.ts";
import { scanString } from "./scan-string.ts";
import type { Source } from "./source.ts";
import { keywords, punctuation, type TokenKind } from "./tokens.ts";

export type LiteralValue = string | number | bigint | Float | Bytes;

/** Splits a source into tokens on demand. The current token is in `kind`, `start`, `end`, `name` and `literal`. */
export class Scanner {
  readonly source: Source;
  kind: TokenKind = "newline";
  start = 0;
  end = 0;
  /** The spelling of an identifier, as a Starlark string. */
  name = "";
  literal: LiteralValue = "";
  readonly #text: string;
  readonly #indents: number[] = [0];
  #pendingOutdents = 0;
  #nesting = 0;
  #atLineStart = true;

  constructor(source: Source) {
    this.source = source;
    this.#text = source.text;
  }

  advance(): void {
    if (this.#atLineStart) {
      this.#atLineStart = false;
      if (this.#scanIndentation()) return;
    }
    if (this.#pendingOutdents > 0) {
      this.#pendingOutdents--;
      return this.#accept("outdent", this.end);
    }
    this.#scanToken(this.#skipBlanks(this.end));
  }

  /** Compares the indentation of the next line that has code with the current one. */
  #scanIndentation(): boolean {
    let index = this.end;
    let column = 0;
    for (;;) {
      const character = this.#text[index];
      if (character === " ") column++;
      else if (character === "\t") column += tabWidth - (column % tabWidth);
      else if (character === "\n") column = 0;
      else if (character === "#") index = this.#skipComment(index) - 1;
      else break;
      index++;
    }
    if (index >= this.#text.length) column = 0;
    const current = this.#indents.at(-1) ?? 0;
    this.end = index;
    if (column > current) {
      this.#indents.push(column);
      this.#accept("indent", index);
      return true;
    }
    while (column < (this.#indents.at(-1) ?? 0)) {
      this.#pendingOutdents++;
      this.#indents.pop();
    }
    if (column !== this.#indents.at(-1)) {
      throw this.source.error(index, "unindent does not match any outer indentation level");
    }
    return false;
  }

  #skipBlanks(from: number): number {
    let index = from;
    for (;;) {
      const character = this.#text[index];
      if (character === " " || character === "\t") index++;
      else if (character === "#") index = this.#skipComment(index);
      else if (character === "\n" && this.#nesting > 0) index++;
      else if (character === "\\") {
        if (this.#text[index + 1] !== "\n") throw this.source.error(index + 1, "stray backslash in program");
        index += 2;
      } else return index;
    }
  }

  #skipComment(from: number): number {
    const end = this.#text.indexOf("\n", from);
    return end < 0 ? this.#text.length : end;
  }

  #scanToken(start: number): void {
    this.start = start;
    const character = this.#text[start];
    if (character === undefined) return this.#scanEnd(start);
    if (character === "\n") {
      this.#atLineStart = true;
      return this.#accept("newline", start, start + 1);
    }
    if (startsString(this.#text, start)) return this.#scanStringLiteral(start);
    if (isDigit(character) || (character === "." && isDigit(this.#text[start + 1]))) return this.#scanNumber(start);
    wordPattern.lastIndex = start;
    const word = wordPattern.exec(this.#text)?.[0];
    if (word !== undefined) return this.#scanWord(start, word);
    this.#scanPunctuation(start, character);
  }

  /** The end of the file also ends the last line and every open block. */
  #scanEnd(start: number): void {
    if (this.kind !== "newline" && this.kind !== "outdent" && this.#indents.length > 1 && this.#nesting === 0) {
      this.#atLineStart = true;
      return this.#accept("newline", start);
    }
    this.#accept("end of file", start);
  }

  #scanStringLiteral(start: number): void {
    const { value, end } = scanString(this.source, start);
    this.literal = value;
    this.#accept(typeof value === "string" ? "string literal" : "bytes literal", start, end);
  }

  #scanNumber(start: number): void {
    const { value, end } = scanNumber(this.source, start);
    this.literal = value;
    this.#accept(typeof value === "object" ? "float literal" : "int literal", start, end);
  }

  #scanWord(start: number, word: string): void {
    const end = start + word.length;
    if (keywords.has(word)) return this.#accept(word, start, end);
    this.name = encodeUtf8(word);
    this.#accept("identifier", start, end);
  }

  #scanPunctuation(start: number, character: string): void {
    const mark = longestMark(this.#text, start);
    if (mark === undefined) {
      const unexpected = String.fromCodePoint(this.#text.codePointAt(start) ?? 0);
      throw this.source.error(start, `unexpected input character '${unexpected}'`);
    }
    if ("([{".includes(character)) {
      if (++this.#nesting > deepestNesting) throw this.source.error(start, "excessive nesting");
    } else if (")]}".includes(character)) {
      if (this.#nesting === 0) throw this.source.error(start, `unexpected '${character}'`);
      this.#nesting--;
    }
    this.#accept(mark, start, start + mark.length);
  }

  #accept(kind: TokenKind, start: number, end = start): void {
    this.kind = kind;
    this.start = start;
    this.end = end;
  }
}

const tabWidth = 8;
/** Each open bracket costs the parser several native stack frames, so this bound also protects the native stack. */
const deepestNesting = 100;
const wordPattern = /[\p{L}_][\p{L}\p{Nd}_]*/uy;

/** Whether a literal begins here: a quote, or the prefix `r`, `b` or `rb` and a quote. */
function startsString(text: string, start: number): boolean {
  let index = start;
  if (text[index] === "r") index++;
  if (text[index] === "b") index++;
  return text[index] === '"' || text[index] === "'";
}

function longestMark(text: string, start: number): string | undefined {
  for (let length = 3; length > 0; length--) {
    const mark = text.slice(start, start + length);
    if (punctuation.has(mark)) return mark;
  }
  return undefined;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}
