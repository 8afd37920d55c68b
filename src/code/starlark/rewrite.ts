import type { Statement } from "../../starlark/syntax/ast.ts";
import { Cursor } from "../../starlark/syntax/cursor.ts";
import { parse } from "../../starlark/syntax/parser.ts";
import { Source } from "../../starlark/syntax/source.ts";

/** A program that leaves its result where the host can find it. */
export interface Rewritten {
  readonly source: string;
  /** It became the body of a function, one line and one column further on. */
  readonly isFunction: boolean;
}

export const actionFile = "action.star";
export const resultName = "_result";
export const functionName = "_action";

/**
 * Starlark knows no last expression and no `return` outside functions; code of agents has both. A `return` makes the
 * program the body of a function. Throws a `StarlarkError` where the code is not Starlark.
 */
export function rewrite(code: string): Rewritten {
  const source = new Source(actionFile, code);
  const statements = parse(source);
  const isFunction = statements.some(returns);
  const last = statements.at(-1);
  const at = last?.kind === "expression" ? last.expression.start : source.text.length;
  const keeping = last?.kind === "expression" ? (isFunction ? "return " : `${resultName} = `) : "";
  const lines = isFunction ? lineStarts(source) : [];
  const insertions = [...lines.map((start) => [start, " "] as const), [at, keeping] as const];
  let text = "";
  let from = 0;
  for (const [offset, inserted] of insertions.sort(([a], [b]) => a - b)) {
    text += source.text.slice(from, offset) + inserted;
    from = offset;
  }
  text += source.text.slice(from);
  return { source: isFunction ? `def ${functionName}():\n${text}\n` : text, isFunction };
}

function returns(statement: Statement): boolean {
  switch (statement.kind) {
    case "return":
      return true;
    case "if":
      return [...statement.branches.flatMap(({ body }) => body), ...(statement.otherwise ?? [])].some(returns);
    case "for":
    case "while":
      return statement.body.some(returns);
    default:
      return false;
  }
}

/** Where lines begin that mean something: not those within a text or brackets. */
function lineStarts(source: Source): number[] {
  const { text } = source;
  const found = new Set<number>();
  let depth = 0;
  for (const cursor = new Cursor(source); !cursor.is("end of file"); cursor.advance()) {
    const start = text.lastIndexOf("\n", cursor.start - 1) + 1;
    if (depth === 0 && text.slice(start, cursor.start).trim() === "") found.add(start);
    if (["(", "[", "{"].includes(cursor.kind)) depth++;
    if ([")", "]", "}"].includes(cursor.kind)) depth--;
  }
  return [...found];
}
