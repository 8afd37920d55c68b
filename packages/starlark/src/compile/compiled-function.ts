import type { Frame } from "../runtime/frame.ts";
import type { ModuleState } from "../runtime/module.ts";

/** How a statement ended. Enclosing statements act on it. */
export type Completion = 0 | 1 | 2 | 3;
export const completedNormally = 0;
export const completedByBreak = 1;
export const completedByContinue = 2;
export const completedByReturn = 3;

export type Execute = (frame: Frame) => Completion;

/** The code of a `def` or `lambda`, shared by every function value made from it. */
export interface CompiledFunction {
  readonly name: string;
  readonly module: ModuleState;
  /** Where its definition begins. */
  readonly at: number;
  /** Parameters that can be given by position; keyword-only ones follow them. */
  readonly positionalCount: number;
  readonly parameterNames: readonly string[];
  readonly parameterIndexes: ReadonlyMap<string, number>;
  readonly hasStar: boolean;
  readonly hasDoubleStar: boolean;
  /** True if a call with exactly `positionalCount` positional arguments needs no further checks. */
  readonly isSimple: boolean;
  readonly localCount: number;
  readonly cellSlots: readonly number[];
  readonly body: Execute;
  /** An upper bound of the native stack frames one call needs, not counting what it calls. */
  readonly nativeFrames: number;
  /** True while a call is active, to detect recursion. */
  activeCalls: number;
}
