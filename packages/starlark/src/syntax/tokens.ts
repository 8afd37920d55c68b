/** A token's kind is its own spelling for keywords and punctuation, and a description for everything else. */
export type TokenKind = string;

export const keywords: ReadonlySet<string> = new Set([
  "and",
  "break",
  "continue",
  "def",
  "elif",
  "else",
  "for",
  "if",
  "in",
  "lambda",
  "load",
  "not",
  "or",
  "pass",
  "return",
  "while",
  // Python keywords, which Starlark reserves: a program may not use them.
  "as",
  "async",
  "await",
  "class",
  "del",
  "except",
  "finally",
  "from",
  "global",
  "import",
  "is",
  "nonlocal",
  "raise",
  "try",
  "with",
  "yield",
]);

export const punctuation: ReadonlySet<string> = new Set([
  "//=",
  ">>=",
  "<<=",
  "**",
  "//",
  "<<",
  ">>",
  "<=",
  ">=",
  "==",
  "!=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
  ..."+ - * / % = < > & | ^ ~ . , ; : ( ) [ ] { }".split(" "),
]);

export const augmentedOperators: ReadonlyMap<TokenKind, BinaryOperator> = new Map([
  ["+=", "+"],
  ["-=", "-"],
  ["*=", "*"],
  ["/=", "/"],
  ["//=", "//"],
  ["%=", "%"],
  ["&=", "&"],
  ["|=", "|"],
  ["^=", "^"],
  ["<<=", "<<"],
  [">>=", ">>"],
]);

export type UnaryOperator = "+" | "-" | "~" | "not";

export type BinaryOperator =
  | "or"
  | "and"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "not in"
  | "|"
  | "^"
  | "&"
  | "<<"
  | ">>"
  | "+"
  | "-"
  | "*"
  | "/"
  | "//"
  | "%";

/** Higher numbers bind tighter. Prefix `not` is between `and` and the comparisons. */
export const precedences: ReadonlyMap<TokenKind, number> = new Map([
  ["or", 0],
  ["and", 1],
  ["not", 3],
  ["==", 3],
  ["!=", 3],
  ["<", 3],
  ["<=", 3],
  [">", 3],
  [">=", 3],
  ["in", 3],
  ["|", 4],
  ["^", 5],
  ["&", 6],
  ["<<", 7],
  [">>", 7],
  ["+", 8],
  ["-", 8],
  ["*", 9],
  ["/", 9],
  ["//", 9],
  ["%", 9],
]);

export const notPrecedence = 2;
export const comparisonPrecedence = 3;

/** How an error message names a token: `got newline`, `got 'x'`, `want ')'`. */
export function describeToken(kind: TokenKind): string {
  return punctuation.has(kind) ? `'${kind}'` : kind;
}
