import type { Argument, Expression } from "./ast.ts";
import type { Cursor } from "./cursor.ts";

/** The arguments of a call, after its opening bracket. Their order is checked by the resolver. */
export function parseArguments(cursor: Cursor, parseTest: (cursor: Cursor) => Expression): Argument[] {
  const result: Argument[] = [];
  while (!cursor.is(")") && !cursor.is("end of file")) {
    if (result.length > 0) cursor.expect(",");
    if (cursor.is(")")) break;
    result.push(parseArgument(cursor, parseTest));
  }
  cursor.expect(")");
  return result;
}

function parseArgument(cursor: Cursor, parseTest: (cursor: Cursor) => Expression): Argument {
  const at = cursor.start;
  if (cursor.skip("*")) return { kind: "*", value: parseTest(cursor), at };
  if (cursor.skip("**")) return { kind: "**", value: parseTest(cursor), at };
  const value = parseTest(cursor);
  if (!cursor.is("=")) return { kind: "positional", value, at };
  if (value.kind !== "identifier") {
    throw cursor.source.error(cursor.scanner.end, "keyword argument must have form name=expr");
  }
  cursor.advance();
  return { kind: "named", name: value.name, value: parseTest(cursor), at };
}
