import type { StarlarkFunction } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import type { Thread } from "./thread.ts";

/** A variable that more than one function uses. */
export class Cell {
  value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** What a local variable's slot holds: its value, nothing yet, or its cell. */
export type Slot = Value | Cell | undefined;

/** One active call of a Starlark function. The top level of a file runs as a function too. */
export class Frame {
  readonly thread: Thread;
  readonly callee: StarlarkFunction;
  readonly locals: Slot[];
  readonly caller: Frame | undefined;
  /** The offset of whatever was last able to fail; the call stack of an error is read from it. */
  at: number;
  /** The name of the built-in that this frame is calling. */
  builtin: string | undefined = undefined;
  result: Value = null;

  constructor(thread: Thread, callee: StarlarkFunction, locals: Slot[]) {
    this.thread = thread;
    this.callee = callee;
    this.locals = locals;
    this.caller = thread.top;
    this.at = callee.code.at;
  }
}
