import { completedByReturn } from "../compile/compiled-function.ts";
import { Builtin, StarlarkFunction, type NamedArguments } from "../values/callable.ts";
import { typeName, type Value } from "../values/value.ts";
import { bindArguments } from "./bind-arguments.ts";
import { Failure } from "./failure.ts";
import { Cell, Frame, type Slot } from "./frame.ts";
import type { Thread } from "./thread.ts";

/** Calls any callable value. Used by built-ins and by calls with unusual arguments. */
export function call(thread: Thread, callee: Value, positional: readonly Value[], named: NamedArguments = []): Value {
  if (callee instanceof StarlarkFunction) {
    const frame = enter(thread, callee, []);
    bindArguments(frame, positional, named);
    return execute(frame);
  }
  if (callee instanceof Builtin) return callBuiltin(thread, callee, positional, named);
  throw new Failure(`invalid call of non-function (${typeName(callee)})`);
}

/** Calls a function whose arguments are already in their slots. */
export function callWithSlots(thread: Thread, callee: StarlarkFunction, slots: Slot[]): Value {
  const frame = enter(thread, callee, slots);
  const { code } = callee;
  for (let index = slots.length; index < code.localCount; index++) slots.push(undefined);
  const { cellSlots } = code;
  for (let index = 0; index < cellSlots.length; index++) {
    const slot = cellSlots[index] ?? 0;
    slots[slot] = new Cell(slots[slot] as Value | undefined);
  }
  return execute(frame);
}

function callBuiltin(thread: Thread, builtin: Builtin, positional: readonly Value[], named: NamedArguments): Value {
  const { name, receiver } = builtin;
  const caller = thread.top;
  const outer = caller?.builtin;
  if (caller) caller.builtin = name;
  const result = builtin.implementation({ thread, name, positional, named, receiver });
  if (caller) caller.builtin = outer;
  return result;
}

/** Pushes a new frame. After a failure only the boundary to the host pops it. */
function enter(thread: Thread, callee: StarlarkFunction, slots: Slot[]): Frame {
  const { code } = callee;
  if (code.activeCalls > 0 && !code.module.dialect.recursion) {
    throw new Failure(`function ${code.name} called recursively`);
  }
  thread.charge(1);
  const frame = new Frame(thread, callee, slots);
  thread.top = frame;
  code.activeCalls++;
  thread.nativeFrames += code.nativeFrames;
  if (++thread.callDepth > thread.limits.callDepth || thread.nativeFrames > maxNativeFrames) {
    throw new Failure("Starlark stack overflow", "limit");
  }
  return frame;
}

function execute(frame: Frame): Value {
  const { thread } = frame;
  const { code } = frame.callee;
  const result = code.body(frame) === completedByReturn ? frame.result : null;
  code.activeCalls--;
  thread.callDepth--;
  thread.nativeFrames -= code.nativeFrames;
  thread.top = frame.caller;
  return result;
}

/** Fits into the default native stack of about one megabyte, with a reserve for the host. */
const maxNativeFrames = 4000;
