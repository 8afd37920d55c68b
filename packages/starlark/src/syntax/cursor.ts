import type { Expression } from "./ast.ts";
import { Scanner } from "./scanner.ts";
import type { Source } from "./source.ts";
import { describeToken, type TokenKind } from "./tokens.ts";
import type { StarlarkError } from "../errors.ts";

/** The parser's position in the token stream, with checks that all grammar rules share. */
export class Cursor {
  readonly scanner: Scanner;
  readonly source: Source;
  #depth = 0;

  constructor(source: Source) {
    this.source = source;
    this.scanner = new Scanner(source);
    this.scanner.advance();
  }

  get kind(): TokenKind {
    return this.scanner.kind;
  }

  get start(): number {
    return this.scanner.start;
  }

  is(kind: TokenKind): boolean {
    return this.scanner.kind === kind;
  }

  advance(): void {
    this.scanner.advance();
  }

  /** Consumes the token if it is of this kind. Returns whether it was. */
  skip(kind: TokenKind): boolean {
    if (this.scanner.kind !== kind) return false;
    this.scanner.advance();
    return true;
  }

  /** Consumes a token that must be of this kind. Returns its start. */
  expect(kind: TokenKind): number {
    if (this.scanner.kind !== kind) throw this.unexpected(describeToken(kind));
    const { start } = this.scanner;
    this.scanner.advance();
    return start;
  }

  unexpected(wanted: string): StarlarkError {
    return this.source.error(this.scanner.end, `got ${describeToken(this.kind)}, want ${wanted}`);
  }

  /** Runs a recursive grammar rule. Throws if it nests too deep. */
  nested<Result>(rule: () => Result): Result {
    if (++this.#depth > deepestRule) throw this.source.error(this.start, "excessive nesting");
    const result = rule();
    this.#depth--;
    return result;
  }

  /** Throws if the tree is so deep that walking it could exhaust the native stack. */
  checkHeight(height: number, at: number): number {
    if (height > tallestTree) throw this.source.error(at, "excessive nesting");
    return height;
  }

  /** The height of a node above these children. */
  heightAbove(children: readonly Expression[]): number {
    let tallest = 0;
    for (const child of children) if (child.height > tallest) tallest = child.height;
    return this.checkHeight(tallest + 1, children[0]?.start ?? 0);
  }
}

const deepestRule = 250;
const tallestTree = 400;
