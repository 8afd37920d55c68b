import type { Expression } from "./ast.ts";

/** The expressions that an expression evaluates first, in order. Those of a comprehension have a scope of their own. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "identifier":
    case "literal":
    case "comprehension":
      return [];
    case "parenthesized":
      return [expression.inner];
    case "tuple":
    case "list":
      return expression.elements;
    case "dict":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "conditional":
      return [expression.condition, expression.whenTrue, expression.whenFalse];
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.first, ...expression.rest.map(({ operand }) => operand)];
    case "dot":
      return [expression.object];
    case "call":
      return [expression.callee, ...expression.arguments.map(({ value }) => value)];
    case "index":
      return [expression.object, expression.index];
    case "slice":
      return [expression.object, expression.from, expression.to, expression.step].filter((part) => part !== undefined);
    case "lambda":
      return expression.function.parameters.flatMap(({ defaultValue }) => defaultValue ?? []);
  }
}
