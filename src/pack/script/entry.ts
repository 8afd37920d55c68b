import { BiplaneError } from "../../errors.ts";
import type { Statement } from "../../starlark/syntax/ast.ts";
import { parse } from "../../starlark/syntax/parser.ts";
import { Source } from "../../starlark/syntax/source.ts";
import type { Script } from "./script.ts";

/** What to call once the file has run. */
export interface Entry {
  /** Left out: `main`, where there is one. */
  readonly function?: string | undefined;
  readonly args?: readonly unknown[] | undefined;
  readonly named?: Readonly<Record<string, unknown>> | undefined;
}

/** The function that a run of the script calls, if any. Names with an underscore in front are the script's own. */
export function functionToCall(script: Script, { function: wanted, args = [] }: Entry): string | undefined {
  const defined = definedIn(script);
  if (wanted === undefined) {
    if (defined.get("main") === "function") return "main";
    if (args.length > 0) throw new BiplaneError("INVALID_INPUT", `${script.file} has no main() to give arguments to`);
    return undefined;
  }
  if (wanted.startsWith("_")) throw new BiplaneError("INVALID_INPUT", `function "${wanted}" is the script's own`);
  const known = defined.get(wanted);
  if (known === undefined) throw new BiplaneError("INVALID_INPUT", `function "${wanted}" not found`);
  if (known === "value") throw new BiplaneError("INVALID_INPUT", `"${wanted}" is not a function`);
  return wanted;
}

export function testsIn(script: Script): string[] {
  return [...definedIn(script)]
    .filter(([name, kind]) => kind === "function" && name.startsWith("test_"))
    .map(([name]) => name);
}

/** The globals: those that may be functions, and those that are surely not. A script that does not parse has none. */
function definedIn({ file, source }: Script): Map<string, "function" | "value"> {
  const found = new Map<string, "function" | "value">();
  try {
    for (const statement of parse(new Source(file, source))) collect(statement, found);
  } catch {
    // Running it tells what is wrong, with every problem and its place.
  }
  return found;
}

function collect(statement: Statement, found: Map<string, "function" | "value">): void {
  switch (statement.kind) {
    case "def":
      found.set(statement.identifier.name, "function");
      break;
    case "assign":
      if (statement.target.kind === "identifier")
        found.set(statement.target.name, data.has(statement.value.kind) ? "value" : "function");
      break;
    case "if":
      for (const inner of [...statement.branches.flatMap(({ body }) => body), ...(statement.otherwise ?? [])])
        collect(inner, found);
      break;
    default:
  }
}

const data = new Set(["literal", "tuple", "list", "dict", "comprehension", "binary", "unary"]);
