import type { Statement } from "./ast.ts";
import { Cursor } from "./cursor.ts";
import { parseStatement } from "./parse-statements.ts";
import type { Source } from "./source.ts";

/** Parses a whole file. Throws a `StarlarkError` at the first thing that is not Starlark. */
export function parse(source: Source): Statement[] {
  const cursor = new Cursor(source);
  const statements: Statement[] = [];
  while (!cursor.is("end of file")) {
    if (cursor.is("newline")) cursor.advance();
    else parseStatement(cursor, statements);
  }
  return statements;
}
