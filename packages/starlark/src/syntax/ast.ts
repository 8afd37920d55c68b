import type { LiteralValue } from "./scanner.ts";
import type { BinaryOperator, UnaryOperator } from "./tokens.ts";

/**
 * The syntax tree. Every node has the offset `at` that an error about it points to, and `height`: how deep the tree
 * below it goes, which bounds the native stack of everything that walks it.
 */
export type Expression =
  | Identifier
  | (Node & { readonly kind: "literal"; readonly value: LiteralValue })
  | (Node & { readonly kind: "parenthesized"; readonly inner: Expression })
  | (Node & { readonly kind: "tuple" | "list"; readonly elements: readonly Expression[] })
  | DictExpression
  | (Node & {
      readonly kind: "conditional";
      readonly condition: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
    })
  | Unary
  | Binary
  | Dot
  | Call
  | Index
  | Slice
  | (Node & { readonly kind: "lambda"; readonly function: FunctionSyntax })
  | Comprehension;

interface Node {
  readonly at: number;
  /** Where the node's text begins, when that is not `at`. */
  readonly start: number;
  readonly height: number;
}

export interface Identifier extends Node {
  readonly kind: "identifier";
  readonly name: string;
  /** What the name refers to; the resolver sets it. */
  binding?: Binding;
}

export interface DictEntryExpression {
  readonly key: Expression;
  readonly value: Expression;
  /** The offset of the colon. */
  readonly at: number;
}

export interface DictExpression extends Node {
  readonly kind: "dict";
  readonly entries: readonly DictEntryExpression[];
}

export interface Unary extends Node {
  readonly kind: "unary";
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

/** One or more operators applied from the left, kept flat so that a long sum is not a deep tree. */
export interface Binary extends Node {
  readonly kind: "binary";
  readonly first: Expression;
  readonly rest: readonly { readonly operator: BinaryOperator; readonly operand: Expression; readonly at: number }[];
}

export interface Dot extends Node {
  readonly kind: "dot";
  readonly object: Expression;
  readonly name: string;
}

export interface Argument {
  readonly kind: "positional" | "named" | "*" | "**";
  readonly name?: string;
  readonly value: Expression;
  readonly at: number;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
}

export interface Index extends Node {
  readonly kind: "index";
  readonly object: Expression;
  readonly index: Expression;
}

export interface Slice extends Node {
  readonly kind: "slice";
  readonly object: Expression;
  readonly from: Expression | undefined;
  readonly to: Expression | undefined;
  readonly step: Expression | undefined;
}

export interface Parameter {
  readonly kind: "required" | "optional" | "*" | "**";
  /** Absent for a bare `*`. */
  readonly identifier?: Identifier;
  readonly defaultValue?: Expression;
  readonly at: number;
}

/** What `def` and `lambda` share; the resolver fills in the scope. */
export interface FunctionSyntax {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  readonly at: number;
  scope?: FunctionScope;
}

export type Clause =
  | { readonly kind: "for"; readonly target: Expression; readonly iterable: Expression; readonly at: number }
  | { readonly kind: "if"; readonly condition: Expression };

export interface Comprehension extends Node {
  readonly kind: "comprehension";
  /** A dict comprehension has a key as well as a value. */
  readonly key: Expression | undefined;
  readonly value: Expression;
  readonly clauses: readonly Clause[];
  /** The offset of the colon of a dict comprehension. */
  readonly entryAt: number;
}

export type Statement =
  | { readonly kind: "expression"; readonly expression: Expression; readonly at: number }
  | { readonly kind: "assign"; readonly target: Expression; readonly value: Expression; readonly at: number }
  | {
      readonly kind: "augment";
      readonly operator: BinaryOperator;
      readonly target: Expression;
      readonly value: Expression;
      readonly at: number;
    }
  | { readonly kind: "return"; readonly value: Expression | undefined; readonly at: number }
  | { readonly kind: "pass" | "break" | "continue"; readonly at: number }
  | {
      readonly kind: "if";
      readonly branches: readonly {
        readonly condition: Expression;
        readonly body: readonly Statement[];
        readonly at: number;
      }[];
      readonly otherwise: readonly Statement[] | undefined;
      readonly at: number;
    }
  | {
      readonly kind: "for";
      readonly target: Expression;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
      readonly at: number;
    }
  | { readonly kind: "while"; readonly condition: Expression; readonly body: readonly Statement[]; readonly at: number }
  | { readonly kind: "def"; readonly identifier: Identifier; readonly function: FunctionSyntax; readonly at: number }
  | { readonly kind: "load"; readonly module: string; readonly names: readonly LoadedName[]; readonly at: number };

export interface LoadedName {
  readonly local: Identifier;
  readonly original: string;
  readonly originalAt: number;
}

/** Where a name's value lives at run time. */
export type Binding =
  | { readonly kind: "local"; readonly variable: LocalVariable }
  | { readonly kind: "free" | "global"; readonly index: number }
  | { readonly kind: "predeclared" | "universal" };

/** A variable of one function call. It lives in a cell of its own when an inner function uses it too. */
export interface LocalVariable {
  readonly name: string;
  readonly index: number;
  readonly declaredAt: number;
  isCell: boolean;
}

/** The variables of one function, or of the top level of a file. */
export interface FunctionScope {
  /** By slot; parameters come first. */
  readonly locals: LocalVariable[];
  /** How to fetch each free variable from the enclosing function when the function is created. */
  readonly captured: readonly CapturedVariable[];
}

export type CapturedVariable = { readonly name: string } & (
  | { readonly from: "local"; readonly variable: LocalVariable }
  | { readonly from: "free"; readonly index: number }
);
