import type { Frame } from "../runtime/frame.ts";
import type { ModuleState } from "../runtime/module.ts";
import type { Expression, Statement } from "../syntax/ast.ts";
import type { Value } from "../values/value.ts";
import type { Execute } from "./compiled-function.ts";

/** A compiled expression. It only needs a frame. */
export type Evaluate = (frame: Frame) => Value;

/**
 * Shared by the compilation of all nodes. The two functions are passed here to break an import cycle: expressions
 * contain functions, which contain statements, which contain expressions.
 */
export interface CompileContext {
  readonly module: ModuleState;
  readonly expression: (expression: Expression) => Evaluate;
  /** `extraCost` is the number of steps per execution beyond the statements themselves. */
  readonly block: (statements: readonly Statement[], extraCost?: number) => Execute;
}
