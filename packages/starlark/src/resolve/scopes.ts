import type { Binding, CapturedVariable, FunctionScope, LocalVariable } from "../syntax/ast.ts";

/** The function that owns the variables of a block. */
interface OpenFunction {
  readonly locals: LocalVariable[];
  readonly captured: CapturedVariable[];
  readonly capturedIndexes: Map<string, number>;
}

/** A lexical block: the file, a function, or a comprehension (which shares the slots of its function). */
export interface Block {
  readonly parent: Block | undefined;
  readonly function: OpenFunction;
  readonly bindings: Map<string, LocalVariable>;
}

export function openFunctionBlock(parent: Block | undefined): Block {
  return { parent, function: { locals: [], captured: [], capturedIndexes: new Map() }, bindings: new Map() };
}

export function openComprehensionBlock(parent: Block): Block {
  return { parent, function: parent.function, bindings: new Map() };
}

export function declareLocal(block: Block, name: string, declaredAt: number): LocalVariable {
  const { locals } = block.function;
  const variable = { name, index: locals.length, declaredAt, isCell: false };
  locals.push(variable);
  block.bindings.set(name, variable);
  return variable;
}

/** Finds a name in a block or an enclosing one. Every function in between captures the variable. */
export function lookUpLexical(block: Block, name: string): Binding | undefined {
  const path: OpenFunction[] = [];
  for (let current: Block | undefined = block; current; current = current.parent) {
    const variable = current.bindings.get(name);
    if (variable) return path.length === 0 ? { kind: "local", variable } : capture(variable, path);
    const { parent } = current;
    if (parent && parent.function !== current.function) path.push(current.function);
  }
  return undefined;
}

export function closeFunction(block: Block): FunctionScope {
  return { locals: block.function.locals, captured: block.function.captured };
}

function capture(variable: LocalVariable, path: readonly OpenFunction[]): Binding {
  variable.isCell = true;
  let source: CapturedVariable = { name: variable.name, from: "local", variable };
  let index = 0;
  for (const inner of path.toReversed()) {
    index = addCaptured(inner, source);
    source = { name: variable.name, from: "free", index };
  }
  return { kind: "free", index };
}

function addCaptured(inner: OpenFunction, source: CapturedVariable): number {
  // Compare variables, not names: an inner scope may have another variable of the same name.
  const identity =
    source.from === "local"
      ? `${source.name}@${source.variable.declaredAt}/${source.variable.index}`
      : `#${source.index}`;
  let index = inner.capturedIndexes.get(identity);
  if (index === undefined) {
    index = inner.captured.length;
    inner.capturedIndexes.set(identity, index);
    inner.captured.push(source);
  }
  return index;
}
