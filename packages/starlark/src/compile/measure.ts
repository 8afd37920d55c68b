import type { Expression, Statement } from "../syntax/ast.ts";
import { partsOf } from "../syntax/parts-of.ts";

/** The steps of evaluating an expression once, not counting bodies that run any other number of times. */
export function costOf(expression: Expression | undefined): number {
  if (!expression) return 0;
  const { kind } = expression;
  const own = kind === "parenthesized" ? 0 : kind === "binary" ? expression.rest.length : 1;
  return partsOf(expression).reduce((total, part) => total + costOf(part), own);
}

/** The steps of executing a statement once, not counting the blocks inside it. */
export function costOfStatement(statement: Statement): number {
  switch (statement.kind) {
    case "expression":
      return costOf(statement.expression);
    case "assign":
    case "augment":
      return 1 + costOf(statement.target) + costOf(statement.value);
    case "return":
      return 1 + costOf(statement.value);
    case "if":
      return 1 + statement.branches.reduce((total, { condition }) => total + costOf(condition), 0);
    case "for":
      return 1 + costOf(statement.iterable);
    case "def":
      return 1 + statement.function.parameters.reduce((total, { defaultValue }) => total + costOf(defaultValue), 0);
    default:
      return 1;
  }
}

/** How many native calls deep executing these statements can go, not counting the functions they call. */
export function nativeDepthOf(statements: readonly Statement[]): number {
  return 1 + statements.reduce((deepest, statement) => Math.max(deepest, statementDepth(statement)), 0);
}

function statementDepth(statement: Statement): number {
  switch (statement.kind) {
    case "expression":
      return 1 + statement.expression.height;
    case "assign":
    case "augment":
      return 1 + Math.max(statement.target.height, statement.value.height);
    case "return":
      return 1 + (statement.value?.height ?? 0);
    case "if": {
      const otherwise = nativeDepthOf(statement.otherwise ?? []);
      return statement.branches.reduce((deepest, { condition, body }) => {
        return Math.max(deepest, 1 + condition.height, 1 + nativeDepthOf(body));
      }, 1 + otherwise);
    }
    case "for":
      // Iterating takes two more native calls between the loop and its body.
      return 3 + Math.max(statement.target.height, statement.iterable.height, nativeDepthOf(statement.body));
    case "while":
      return 1 + Math.max(statement.condition.height, nativeDepthOf(statement.body));
    case "def": {
      const { parameters } = statement.function;
      return 1 + parameters.reduce((deepest, { defaultValue }) => Math.max(deepest, defaultValue?.height ?? 0), 0);
    }
    default:
      return 1;
  }
}
