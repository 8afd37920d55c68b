/** A token's kind is its own spelling for keywords and punctuation, and a description for everything else. */
export type TokenKind = string;

export const keywords: ReadonlySet<string> = new Set([
  ..."and break continue def elif else for if in lambda load not or pass return while".split(" "),
  // Python keywords, which Starlark reserves: a program may not use them.
  ..."as async await class del except finally from global import is nonlocal raise try with yield".split(" "),
]);

/** Higher numbers bind tighter. Prefix `not` is between `and` and the comparisons. */
const binaryOperators = {
  or: 0,
  and: 1,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  in: 3,
  "not in": 3,
  "|": 4,
  "^": 5,
  "&": 6,
  "<<": 7,
  ">>": 7,
  "+": 8,
  "-": 8,
  "*": 9,
  "/": 9,
  "//": 9,
  "%": 9,
} as const;

export type BinaryOperator = keyof typeof binaryOperators;
export type UnaryOperator = "+" | "-" | "~" | "not";

/** By the first token of the operator: `not` begins `not in`. */
export const precedences: ReadonlyMap<TokenKind, number> = new Map(
  Object.entries(binaryOperators).map(([operator, precedence]) => [operator.replace(" in", ""), precedence]),
);

/** Operators that bind tighter than comparisons have an augmented form, such as `+=`. */
export const augmentedOperators: ReadonlyMap<TokenKind, BinaryOperator> = new Map(
  (Object.keys(binaryOperators) as BinaryOperator[])
    .filter((operator) => binaryOperators[operator] > 3)
    .map((operator) => [`${operator}=`, operator]),
);

export const punctuation: ReadonlySet<string> = new Set([
  ...[...precedences.keys(), ...augmentedOperators.keys()].filter((mark) => !/[a-z]/.test(mark)),
  ..."** = ~ . , ; : ( ) [ ] { }".split(" "),
]);

export const notPrecedence = 2;
export const comparisonPrecedence = 3;

/** How an error message names a token: `got newline`, `got 'x'`, `want ')'`. */
export function describeToken(kind: TokenKind): string {
  return punctuation.has(kind) ? `'${kind}'` : kind;
}
