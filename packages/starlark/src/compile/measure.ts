import type { Expression, Statement } from "../syntax/ast.ts";

/** The steps of evaluating an expression once, not counting bodies that run any other number of times. */
export function costOf(expression: Expression | undefined): number {
  if (!expression) return 0;
  switch (expression.kind) {
    case "identifier":
    case "literal":
    case "comprehension":
      return 1;
    case "parenthesized":
      return costOf(expression.inner);
    case "tuple":
    case "list":
      return 1 + sum(expression.elements);
    case "dict":
      return 1 + expression.entries.reduce((total, { key, value }) => total + costOf(key) + costOf(value), 0);
    case "conditional":
      return 1 + sum([expression.condition, expression.whenTrue, expression.whenFalse]);
    case "unary":
      return 1 + costOf(expression.operand);
    case "binary":
      return costOf(expression.first) + expression.rest.reduce((total, { operand }) => total + 1 + costOf(operand), 0);
    case "dot":
      return 1 + costOf(expression.object);
    case "call":
      return (
        1 + costOf(expression.callee) + expression.arguments.reduce((total, { value }) => total + costOf(value), 0)
      );
    case "index":
      return 1 + costOf(expression.object) + costOf(expression.index);
    case "slice":
      return 1 + sum([expression.object, expression.from, expression.to, expression.step]);
    case "lambda":
      return 1 + expression.function.parameters.reduce((total, { defaultValue }) => total + costOf(defaultValue), 0);
  }
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

function sum(expressions: readonly (Expression | undefined)[]): number {
  return expressions.reduce((total, expression) => total + costOf(expression), 0);
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
