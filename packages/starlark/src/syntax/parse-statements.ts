import type { Expression, LoadedName, Statement } from "./ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpressionList, parseLoopTargets, parseTest } from "./parse-expressions.ts";
import { parseIdentifier, parseParameters } from "./parse-parameters.ts";
import { decodeUtf8 } from "../utf8.ts";
import { augmentedOperators, describeToken, type TokenKind } from "./tokens.ts";

/** Appends the statement that begins here; a line of small statements appends several. */
export function parseStatement(cursor: Cursor, statements: Statement[]): void {
  const parseCompound = compoundStatements.get(cursor.kind);
  if (parseCompound) statements.push(parseCompound(cursor));
  else parseSimpleLine(cursor, statements);
}

const compoundStatements: ReadonlyMap<TokenKind, (cursor: Cursor) => Statement> = new Map([
  ["def", parseDef],
  ["if", parseIf],
  ["for", parseFor],
  ["while", parseWhile],
]);

function parseDef(cursor: Cursor): Statement {
  const at = cursor.expect("def");
  const identifier = parseIdentifier(cursor);
  cursor.expect("(");
  const parameters = parseParameters(cursor, parseTest);
  cursor.expect(")");
  cursor.expect(":");
  const body = parseBlock(cursor);
  return { kind: "def", identifier, function: { name: identifier.name, parameters, body, at }, at };
}

function parseIf(cursor: Cursor): Statement {
  const at = cursor.expect("if");
  const branches = [parseBranch(cursor, at)];
  while (cursor.is("elif")) branches.push(parseBranch(cursor, cursor.expect("elif")));
  let otherwise: Statement[] | undefined;
  if (cursor.skip("else")) {
    cursor.expect(":");
    otherwise = parseBlock(cursor);
  }
  return { kind: "if", branches, otherwise, at };
}

function parseBranch(cursor: Cursor, at: number): { condition: Expression; body: Statement[]; at: number } {
  const condition = parseTest(cursor);
  cursor.expect(":");
  return { condition, body: parseBlock(cursor), at };
}

function parseFor(cursor: Cursor): Statement {
  const at = cursor.expect("for");
  const target = parseLoopTargets(cursor);
  cursor.expect("in");
  const iterable = parseExpressionList(cursor);
  cursor.expect(":");
  return { kind: "for", target, iterable, body: parseBlock(cursor), at };
}

function parseWhile(cursor: Cursor): Statement {
  const at = cursor.expect("while");
  const condition = parseTest(cursor);
  cursor.expect(":");
  return { kind: "while", condition, body: parseBlock(cursor), at };
}

function parseBlock(cursor: Cursor): Statement[] {
  return cursor.nested(() => {
    const statements: Statement[] = [];
    if (!cursor.is("newline")) {
      parseSimpleLine(cursor, statements);
      return statements;
    }
    cursor.advance();
    cursor.expect("indent");
    while (!cursor.is("outdent") && !cursor.is("end of file")) parseStatement(cursor, statements);
    cursor.expect("outdent");
    return statements;
  });
}

function parseSimpleLine(cursor: Cursor, statements: Statement[]): void {
  for (;;) {
    statements.push(parseSmall(cursor));
    if (!cursor.skip(";")) break;
    if (cursor.is("newline") || cursor.is("end of file")) break;
  }
  if (!cursor.is("end of file")) cursor.expect("newline");
}

function parseSmall(cursor: Cursor): Statement {
  const at = cursor.start;
  const { kind } = cursor;
  switch (kind) {
    case "return": {
      cursor.advance();
      const isBare = cursor.is("newline") || cursor.is(";") || cursor.is("end of file");
      return { kind, value: isBare ? undefined : parseExpressionList(cursor), at };
    }
    case "pass":
    case "break":
    case "continue":
      cursor.advance();
      return { kind, at };
    case "load":
      return parseLoad(cursor);
    default:
      return parseAssignmentOrExpression(cursor);
  }
}

function parseAssignmentOrExpression(cursor: Cursor): Statement {
  const target = parseExpressionList(cursor);
  const at = cursor.start;
  if (cursor.skip("=")) return { kind: "assign", target, value: parseExpressionList(cursor), at };
  const operator = augmentedOperators.get(cursor.kind);
  if (!operator) return { kind: "expression", expression: target, at: target.start };
  cursor.advance();
  return { kind: "augment", operator, target, value: parseExpressionList(cursor), at };
}

function parseLoad(cursor: Cursor): Statement {
  const at = cursor.expect("load");
  const open = cursor.expect("(");
  const { scanner } = cursor;
  if (!cursor.is("string literal")) {
    throw cursor.source.error(scanner.end, "first operand of load statement must be a string literal");
  }
  const module = scanner.literal as string;
  cursor.advance();
  const names: LoadedName[] = [];
  while (!cursor.is(")") && !cursor.is("end of file")) {
    cursor.expect(",");
    if (cursor.is(")")) break;
    names.push(parseLoadedName(cursor));
  }
  cursor.expect(")");
  if (names.length === 0) throw cursor.source.error(open, "load statement must import at least 1 symbol");
  return { kind: "load", module, names, at };
}

function parseLoadedName(cursor: Cursor): LoadedName {
  const { scanner } = cursor;
  const at = cursor.start;
  if (cursor.is("string literal")) {
    const original = scanner.literal as string;
    cursor.advance();
    const inside = at + 1;
    const local = { kind: "identifier", name: original, at: inside, start: inside, height: 1 } as const;
    return { local, original, originalAt: inside };
  }
  if (!cursor.is("identifier")) {
    const got = describeToken(cursor.kind);
    throw cursor.source.error(scanner.end, `load operand must be "name" or localname="name" (got ${got})`);
  }
  const local = parseIdentifier(cursor);
  const name = decodeUtf8(local.name);
  if (!cursor.is("=")) {
    const reason = `load operand must be "${name}" or ${name}="originalname" (want '=' after ${name})`;
    throw cursor.source.error(scanner.end, reason);
  }
  cursor.advance();
  if (!cursor.is("string literal")) {
    throw cursor.source.error(scanner.end, `original name of loaded symbol must be quoted: ${name}="originalname"`);
  }
  const loaded = { local, original: scanner.literal as string, originalAt: cursor.start + 1 };
  cursor.advance();
  return loaded;
}
