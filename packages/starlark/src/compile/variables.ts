import { Failure } from "../runtime/failure.ts";
import type { Cell, Frame } from "../runtime/frame.ts";
import type { Identifier } from "../syntax/ast.ts";
import type { Value } from "../values/value.ts";
import type { CompileContext, Evaluate } from "./context.ts";

/** Compiles reading a variable. */
export function compileRead(context: CompileContext, identifier: Identifier): Evaluate {
  const { binding, name, at } = identifier;
  switch (binding?.kind) {
    case "local":
      return binding.variable.isCell
        ? readCell(binding.variable.index, name, at)
        : readLocal(binding.variable.index, name, at);
    case "free":
      return readFree(binding.index, name, at);
    case "global":
      return readGlobal(context.module.globals, binding.index, { name, at });
    default: {
      const { predeclared, universe } = context.module;
      const value = (binding?.kind === "predeclared" ? predeclared : universe).get(name) ?? null;
      return () => value;
    }
  }
}

/** Compiles writing a variable. */
export function compileWrite(context: CompileContext, identifier: Identifier): (frame: Frame, value: Value) => void {
  const { binding } = identifier;
  if (binding?.kind === "local") {
    const { index, isCell } = binding.variable;
    if (isCell) {
      return (frame, value) => {
        (frame.locals[index] as Cell).value = value;
      };
    }
    return (frame, value) => {
      frame.locals[index] = value;
    };
  }
  if (binding?.kind !== "global") throw new Error(`no place to write ${identifier.name}`);
  const { globals } = context.module;
  const { index } = binding;
  return (_frame, value) => {
    globals[index] = value;
  };
}

function readLocal(index: number, name: string, at: number): Evaluate {
  return (frame) => {
    const value = frame.locals[index];
    return value === undefined ? unassigned(frame, "local", name, at) : (value as Value);
  };
}

function readCell(index: number, name: string, at: number): Evaluate {
  return (frame) => {
    const { value } = frame.locals[index] as Cell;
    return value === undefined ? unassigned(frame, "local", name, at) : value;
  };
}

function readFree(index: number, name: string, at: number): Evaluate {
  return (frame) => {
    const value = frame.callee.captured[index]?.value;
    return value === undefined ? unassigned(frame, "local", name, at) : value;
  };
}

function readGlobal(
  globals: readonly (Value | undefined)[],
  index: number,
  { name, at }: { name: string; at: number },
): Evaluate {
  return (frame) => {
    const value = globals[index];
    return value === undefined ? unassigned(frame, "global", name, at) : value;
  };
}

function unassigned(frame: Frame, scope: string, name: string, at: number): never {
  frame.at = at;
  throw new Failure(`${scope} variable ${name} referenced before assignment`);
}
