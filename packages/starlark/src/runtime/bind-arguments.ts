import type { NamedArguments, StarlarkFunction } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { elementBytes, tableBytes } from "../values/memory.ts";
import { emptyTuple, Tuple } from "../values/tuple.ts";
import type { Value } from "../values/value.ts";
import { Failure } from "./failure.ts";
import { Cell, type Frame, type Slot } from "./frame.ts";

/** Assigns the arguments of a call to the slots of its parameters. Throws if they do not match. */
export function bindArguments(frame: Frame, positional: readonly Value[], named: NamedArguments): void {
  const { callee, locals } = frame;
  const { code } = callee;
  for (let index = 0; index < code.localCount; index++) locals.push(undefined);
  checkCount(callee, positional.length, named.length);
  bindPositional(frame, positional);
  bindNamed(frame, named);
  fillDefaults(callee, locals);
  for (const slot of code.cellSlots) locals[slot] = new Cell(locals[slot] as Value | undefined);
}

function checkCount(callee: StarlarkFunction, positionalCount: number, namedCount: number): void {
  const { code, defaults } = callee;
  const takesNothing = code.parameterNames.length === 0 && !code.hasStar && !code.hasDoubleStar;
  if (takesNothing && positionalCount + namedCount > 0) {
    throw new Failure(`function ${code.name} accepts no arguments (${positionalCount + namedCount} given)`);
  }
  if (positionalCount <= code.positionalCount || code.hasStar) return;
  const hasDefaults = defaults.slice(0, code.positionalCount).some((value) => value !== undefined);
  const accepts = `accepts ${hasDefaults ? "at most " : ""}${code.positionalCount} positional argument`;
  const plural = code.positionalCount === 1 ? "" : "s";
  throw new Failure(`function ${code.name} ${accepts}${plural} (${positionalCount} given)`);
}

function bindPositional(frame: Frame, positional: readonly Value[]): void {
  const { locals, thread } = frame;
  const { code } = frame.callee;
  const accepted = Math.min(positional.length, code.positionalCount);
  for (let index = 0; index < accepted; index++) locals[index] = positional[index];
  if (!code.hasStar) return;
  const extra = positional.slice(accepted);
  thread.allocate(extra.length * elementBytes);
  locals[code.parameterNames.length] = extra.length === 0 ? emptyTuple : new Tuple(extra);
}

function bindNamed(frame: Frame, named: NamedArguments): void {
  const { locals, thread } = frame;
  const { code } = frame.callee;
  const rest = code.hasDoubleStar ? new Dict() : undefined;
  if (rest) thread.allocate(tableBytes);
  thread.charge(named.length);
  for (const [name, value] of named) {
    const index = code.parameterIndexes.get(name) ?? -1;
    const isTaken = index >= 0 ? locals[index] !== undefined : rest?.table.has(thread, name);
    if (isTaken) throw new Failure(`function ${code.name} got multiple values for parameter "${name}"`);
    if (index >= 0) locals[index] = value;
    else if (rest) rest.table.set(thread, name, value);
    else throw new Failure(`function ${code.name} got an unexpected keyword argument "${name}"`);
  }
  if (rest) locals[code.parameterNames.length + (code.hasStar ? 1 : 0)] = rest;
}

function fillDefaults({ code, defaults }: StarlarkFunction, locals: Slot[]): void {
  const missing: string[] = [];
  for (let index = 0; index < code.parameterNames.length; index++) {
    if (locals[index] !== undefined) continue;
    const value = defaults[index];
    if (value === undefined) missing.push(code.parameterNames[index] ?? "");
    else locals[index] = value;
  }
  if (missing.length === 0) return;
  const plural = missing.length === 1 ? "" : "s";
  throw new Failure(`function ${code.name} missing ${missing.length} argument${plural} (${missing.join(", ")})`);
}
