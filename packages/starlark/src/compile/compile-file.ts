import type { FunctionScope, Statement } from "../syntax/ast.ts";
import type { ModuleState } from "../runtime/module.ts";
import { StarlarkFunction } from "../values/callable.ts";
import type { CompileContext } from "./context.ts";
import { compileExpression } from "./expressions.ts";
import { compileCode } from "./functions.ts";
import { compileBlock } from "./statements.ts";

/** Compiles a resolved file to the function that runs its top level. */
export function compileFile(
  module: ModuleState,
  statements: readonly Statement[],
  scope: FunctionScope,
): StarlarkFunction {
  const context: CompileContext = {
    module,
    expression: (expression) => compileExpression(context, expression),
    block: (statements, extraCost) => compileBlock(context, statements, extraCost),
  };
  const code = compileCode(context, { name: "<toplevel>", parameters: [], body: statements, at: 0, scope });
  return new StarlarkFunction(code, [], []);
}
