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

/** The content of a local variable's slot: its value, its cell, or undefined before assignment. */
export type Slot = Value | Cell | undefined;

/** One active call of a Starlark function. The top level of a file runs as a function too. */
export class Frame {
  readonly thread: Thread;
  readonly callee: StarlarkFunction;
  readonly locals: Slot[];
  readonly caller: Frame | undefined;
  /** Offset of the last operation that could fail. Stack traces use it. */
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
