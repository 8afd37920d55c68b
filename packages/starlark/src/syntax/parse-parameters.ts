import type { Expression, Identifier, Parameter } from "./ast.ts";
import type { Cursor } from "./cursor.ts";

/** The parameters of a `def` or `lambda`, without the brackets. Their order is checked by the resolver. */
export function parseParameters(cursor: Cursor, parseDefault: (cursor: Cursor) => Expression): Parameter[] {
  const parameters: Parameter[] = [];
  while (!cursor.is(")") && !cursor.is(":") && !cursor.is("end of file")) {
    if (parameters.length > 0) cursor.expect(",");
    if (cursor.is(")")) break;
    parameters.push(parseParameter(cursor, parseDefault));
  }
  return parameters;
}

export function parseIdentifier(cursor: Cursor): Identifier {
  const { scanner } = cursor;
  if (!cursor.is("identifier")) throw cursor.source.error(scanner.end, "not an identifier");
  const identifier: Identifier = {
    kind: "identifier",
    name: scanner.name,
    at: cursor.start,
    start: cursor.start,
    height: 1,
  };
  cursor.advance();
  return identifier;
}

function parseParameter(cursor: Cursor, parseDefault: (cursor: Cursor) => Expression): Parameter {
  const at = cursor.start;
  if (cursor.skip("*")) {
    return cursor.is("identifier") ? { kind: "*", identifier: parseIdentifier(cursor), at } : { kind: "*", at };
  }
  if (cursor.skip("**")) return { kind: "**", identifier: parseIdentifier(cursor), at };
  const identifier = parseIdentifier(cursor);
  if (!cursor.is("=")) return { kind: "required", identifier, at };
  const equalsAt = cursor.expect("=");
  return { kind: "optional", identifier, defaultValue: parseDefault(cursor), at: equalsAt };
}
