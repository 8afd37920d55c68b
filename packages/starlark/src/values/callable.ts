import type { CompiledFunction } from "../compile/compiled-function.ts";
import type { Thread } from "../runtime/thread.ts";
import type { Cell } from "../runtime/frame.ts";
import type { Value } from "./value.ts";

/** A function defined in Starlark by `def` or `lambda`, with what it closed over. */
export class StarlarkFunction {
  readonly code: CompiledFunction;
  readonly defaults: readonly (Value | undefined)[];
  readonly captured: readonly Cell[];
  frozen = false;

  constructor(code: CompiledFunction, defaults: readonly (Value | undefined)[], captured: readonly Cell[]) {
    this.code = code;
    this.defaults = defaults;
    this.captured = captured;
  }

  get name(): string {
    return this.code.name;
  }

  get typeName(): string {
    return "function";
  }
}

export type NamedArguments = readonly (readonly [name: string, value: Value])[];

export interface BuiltinCall {
  readonly thread: Thread;
  readonly name: string;
  readonly positional: readonly Value[];
  readonly named: NamedArguments;
  /** The receiver of a method; `null` for a plain function. */
  readonly receiver: Value;
}

/** A function of the interpreter or of the host. A method is bound to its receiver. */
export class Builtin {
  readonly name: string;
  readonly implementation: (call: BuiltinCall) => Value;
  readonly receiver: Value;
  readonly isMethod: boolean;

  constructor(name: string, implementation: (call: BuiltinCall) => Value, method?: { receiver: Value }) {
    this.name = name;
    this.implementation = implementation;
    this.receiver = method ? method.receiver : null;
    this.isMethod = method !== undefined;
  }

  get typeName(): string {
    return "builtin_function_or_method";
  }
}
