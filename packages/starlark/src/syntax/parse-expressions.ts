import type { Binary, Clause, DictEntryExpression, Expression } from "./ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseArguments } from "./parse-arguments.ts";
import { parseIdentifier, parseParameters } from "./parse-parameters.ts";
import {
  comparisonPrecedence,
  describeToken,
  notPrecedence,
  precedences,
  type BinaryOperator,
  type UnaryOperator,
} from "./tokens.ts";

/** One expression or an unparenthesized tuple, as on either side of an assignment. */
export function parseExpressionList(cursor: Cursor, options: { inParentheses?: boolean } = {}): Expression {
  const first = parseTest(cursor);
  if (!cursor.is(",")) return first;
  const elements = parseRest(cursor, [first], options.inParentheses ?? false);
  return { kind: "tuple", elements, at: first.start, start: first.start, height: cursor.heightAbove(elements) };
}

/** A conditional expression, a lambda, or anything that binds tighter. */
export function parseTest(cursor: Cursor): Expression {
  return cursor.nested(() => {
    if (cursor.is("lambda")) return parseLambda(cursor, parseTest);
    const expression = parseBinary(cursor, 0);
    return cursor.is("if") ? parseConditional(cursor, expression) : expression;
  });
}

/** The targets of a `for`: primaries separated by commas, because `in` must not be parsed as an operator. */
export function parseLoopTargets(cursor: Cursor): Expression {
  const first = parsePrimary(cursor);
  if (!cursor.is(",")) return first;
  const elements = [first];
  while (cursor.skip(",")) elements.push(parsePrimary(cursor));
  return { kind: "tuple", elements, at: first.start, start: first.start, height: cursor.heightAbove(elements) };
}

function parseRest(cursor: Cursor, elements: Expression[], allowTrailingComma: boolean): Expression[] {
  while (cursor.is(",")) {
    const comma = cursor.start;
    cursor.advance();
    if (endsTuple.has(cursor.kind)) {
      if (!allowTrailingComma) throw cursor.source.error(comma, "unparenthesized tuple with trailing comma");
      break;
    }
    elements.push(parseTest(cursor));
  }
  return elements;
}

const endsTuple: ReadonlySet<string> = new Set([")", "=", "newline", "end of file", ";"]);

function parseConditional(cursor: Cursor, whenTrue: Expression): Expression {
  const at = cursor.expect("if");
  const condition = parseBinary(cursor, 0);
  if (!cursor.is("else")) throw cursor.source.error(at, "conditional expression without else clause");
  cursor.advance();
  const whenFalse = parseTest(cursor);
  const height = cursor.heightAbove([condition, whenTrue, whenFalse]);
  return { kind: "conditional", condition, whenTrue, whenFalse, at, start: whenTrue.start, height };
}

function parseLambda(cursor: Cursor, parseBody: (cursor: Cursor) => Expression): Expression {
  const at = cursor.expect("lambda");
  const parameters = cursor.is(":") ? [] : parseParameters(cursor, parseTest);
  cursor.expect(":");
  const value = cursor.nested(() => parseBody(cursor));
  const body = [{ kind: "return", value, at: value.start } as const];
  const defaults = parameters.flatMap((parameter) => parameter.defaultValue ?? []);
  const height = cursor.heightAbove([value, ...defaults]);
  return { kind: "lambda", function: { name: "lambda", parameters, body, at }, at, start: at, height };
}

function parseBinary(cursor: Cursor, minimum: number): Expression {
  if (minimum <= notPrecedence && cursor.is("not")) {
    const at = cursor.expect("not");
    const operand = cursor.nested(() => parseBinary(cursor, notPrecedence));
    const negated = { kind: "unary", operator: "not", operand, at, start: at, height: cursor.heightAbove([operand]) };
    return parseOperators(cursor, negated as Expression, minimum);
  }
  return parseOperators(cursor, parseUnary(cursor), minimum);
}

/** Climbs the operators that bind at least as tightly as `minimum`, grouping each run of one precedence. */
function parseOperators(cursor: Cursor, operand: Expression, minimum: number): Expression {
  let left = operand;
  let group: { precedence: number; rest: Binary["rest"][number][] } | undefined;
  for (;;) {
    const precedence = precedences.get(cursor.kind) ?? -1;
    if (precedence < minimum) return left;
    const { end } = cursor.scanner;
    const { operator, at } = parseOperator(cursor);
    if (precedence === comparisonPrecedence && group?.precedence === precedence) {
      const previous = group.rest.at(-1)?.operator ?? "";
      throw cursor.source.error(end, `${previous} does not associate with ${operator} (use parens)`);
    }
    const right = cursor.nested(() => parseBinary(cursor, precedence + 1));
    const rest = group?.precedence === precedence ? group.rest : [];
    const first: Expression = group?.precedence === precedence && left.kind === "binary" ? left.first : left;
    rest.push({ operator, operand: right, at });
    const height = cursor.checkHeight(Math.max(left.height, right.height + 1, first.height + 1), at);
    left = { kind: "binary", first, rest, at, start: first.start, height };
    group = { precedence, rest };
  }
}

function parseOperator(cursor: Cursor): { operator: BinaryOperator; at: number } {
  const operator = cursor.kind as BinaryOperator | "not";
  const at = cursor.start;
  cursor.advance();
  return operator === "not" ? { operator: "not in", at: cursor.expect("in") } : { operator, at };
}

function parseUnary(cursor: Cursor): Expression {
  const { kind } = cursor;
  if (kind !== "+" && kind !== "-" && kind !== "~") return parsePrimary(cursor);
  const operator: UnaryOperator = kind;
  const at = cursor.expect(kind);
  const operand = cursor.nested(() => parseUnary(cursor));
  return { kind: "unary", operator, operand, at, start: at, height: cursor.heightAbove([operand]) };
}

/** An operand with its dots, calls, indexes and slices. */
function parsePrimary(cursor: Cursor): Expression {
  let expression = parseOperand(cursor);
  for (;;) {
    const { start } = expression;
    if (cursor.is(".")) {
      const at = cursor.expect(".");
      const { name } = parseIdentifier(cursor);
      expression = { kind: "dot", object: expression, name, at, start, height: cursor.heightAbove([expression]) };
    } else if (cursor.is("[")) {
      expression = parseSuffix(cursor, expression);
    } else if (cursor.is("(")) {
      const at = cursor.expect("(");
      const args = parseArguments(cursor, parseTest);
      const height = cursor.heightAbove([expression, ...args.map(({ value }) => value)]);
      expression = { kind: "call", callee: expression, arguments: args, at, start, height };
    } else return expression;
  }
}

function parseOperand(cursor: Cursor): Expression {
  const { scanner } = cursor;
  const at = cursor.start;
  switch (cursor.kind) {
    case "identifier":
      return parseIdentifier(cursor);
    case "int literal":
    case "float literal":
    case "string literal":
    case "bytes literal": {
      const value = scanner.literal;
      cursor.advance();
      return { kind: "literal", value, at, start: at, height: 1 };
    }
    case "[":
      return parseList(cursor);
    case "{":
      return parseDict(cursor);
    case "(":
      return parseParentheses(cursor);
    default:
      throw cursor.source.error(at, `got ${describeToken(cursor.kind)}, want primary expression`);
  }
}

function parseParentheses(cursor: Cursor): Expression {
  const at = cursor.expect("(");
  if (cursor.skip(")")) return { kind: "tuple", elements: [], at, start: at, height: 1 };
  const inner = parseExpressionList(cursor, { inParentheses: true });
  cursor.expect(")");
  return { kind: "parenthesized", inner, at, start: at, height: cursor.heightAbove([inner]) };
}

function parseList(cursor: Cursor): Expression {
  const at = cursor.expect("[");
  if (cursor.skip("]")) return { kind: "list", elements: [], at, start: at, height: 1 };
  const first = parseTest(cursor);
  if (cursor.is("for")) return parseComprehension(cursor, { value: first, at, entryAt: at, close: "]" });
  const elements = [first];
  while (cursor.skip(",")) {
    if (cursor.is("]") || cursor.is("end of file")) break;
    elements.push(parseTest(cursor));
  }
  cursor.expect("]");
  return { kind: "list", elements, at, start: at, height: cursor.heightAbove(elements) };
}

function parseDict(cursor: Cursor): Expression {
  const at = cursor.expect("{");
  if (cursor.skip("}")) return { kind: "dict", entries: [], at, start: at, height: 1 };
  const first = parseEntry(cursor);
  if (cursor.is("for")) {
    return parseComprehension(cursor, { key: first.key, value: first.value, at, entryAt: first.at, close: "}" });
  }
  const entries = [first];
  while (cursor.skip(",")) {
    if (cursor.is("}")) break;
    entries.push(parseEntry(cursor));
  }
  cursor.expect("}");
  const height = cursor.heightAbove(entries.flatMap(({ key, value }) => [key, value]));
  return { kind: "dict", entries, at, start: at, height };
}

function parseEntry(cursor: Cursor): DictEntryExpression {
  const key = parseTest(cursor);
  const at = cursor.expect(":");
  return { key, value: parseTest(cursor), at };
}

interface ComprehensionStart {
  readonly key?: Expression;
  readonly value: Expression;
  readonly at: number;
  readonly entryAt: number;
  readonly close: string;
}

function parseComprehension(cursor: Cursor, opening: ComprehensionStart): Expression {
  const { key, value, at, entryAt, close } = opening;
  const clauses: Clause[] = [];
  const parts = key ? [key, value] : [value];
  while (cursor.kind !== close) {
    if (cursor.is("for")) {
      const forAt = cursor.expect("for");
      const target = parseLoopTargets(cursor);
      cursor.expect("in");
      const iterable = parseBinary(cursor, 0);
      clauses.push({ kind: "for", target, iterable, at: forAt });
      parts.push(target, iterable);
    } else if (cursor.skip("if")) {
      const condition = parseTestWithoutConditional(cursor);
      clauses.push({ kind: "if", condition });
      parts.push(condition);
    } else throw cursor.unexpected(`'${close}', for, or if`);
  }
  cursor.expect(close);
  // Each clause takes three native calls when it runs: itself, the iteration, and what it does with an element.
  const height = cursor.checkHeight(cursor.heightAbove(parts) + 3 * clauses.length, at);
  return { kind: "comprehension", key, value, clauses, entryAt, at, start: at, height };
}

function parseTestWithoutConditional(cursor: Cursor): Expression {
  return cursor.is("lambda") ? parseLambda(cursor, parseTestWithoutConditional) : parseBinary(cursor, 0);
}

/** `x[i]`, or `x[i:j:k]` with any part missing. */
function parseSuffix(cursor: Cursor, object: Expression): Expression {
  const at = cursor.expect("[");
  const { start } = object;
  let from: Expression | undefined;
  if (!cursor.is(":")) {
    from = parseExpressionList(cursor);
    if (cursor.skip("]")) {
      return { kind: "index", object, index: from, at, start, height: cursor.heightAbove([object, from]) };
    }
  }
  let to: Expression | undefined;
  let step: Expression | undefined;
  if (cursor.skip(":")) {
    if (!cursor.is(":") && !cursor.is("]")) to = parseTest(cursor);
    if (cursor.skip(":") && !cursor.is("]")) step = parseTest(cursor);
  }
  cursor.expect("]");
  const parts = [object, from, to, step].filter((part) => part !== undefined);
  return { kind: "slice", object, from, to, step, at, start, height: cursor.heightAbove(parts) };
}
