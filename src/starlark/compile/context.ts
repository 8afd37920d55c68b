import type { Frame } from "../runtime/frame.ts";
import type { ModuleState } from "../runtime/module.ts";
import type { Expression, Statement } from "../syntax/ast.ts";
import type { Value } from "../values/value.ts";
import type { Execute } from "./compiled-function.ts";

/** An expression, compiled: everything static about it is decided, and a frame is all it needs. */
export type Evaluate = (frame: Frame) => Value;

/**
 * What compiling any node needs. The two functions come through here because expressions contain functions, which
 * contain statements, which contain expressions.
 */
export interface CompileContext {
  readonly module: ModuleState;
  readonly expression: (expression: Expression) => Evaluate;
  /** `extraCost` is what each execution costs beyond the statements themselves. */
  readonly block: (statements: readonly Statement[], extraCost?: number) => Execute;
}
