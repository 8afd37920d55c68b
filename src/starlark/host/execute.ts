import { universe } from "../builtins/universe.ts";
import { compileFile } from "../compile/compile-file.ts";
import { resolve } from "../resolve/resolver.ts";
import { callWithSlots } from "../runtime/call.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import type { ModuleState } from "../runtime/module.ts";
import type { Thread } from "../runtime/thread.ts";
import { completeDialect, type Dialect } from "../syntax/dialect.ts";
import { parse } from "../syntax/parser.ts";
import { Source } from "../syntax/source.ts";
import type { Value } from "../values/value.ts";

export interface Program {
  readonly file: string;
  readonly text: string;
  readonly dialect: Dialect | undefined;
  readonly predeclared: ReadonlyMap<string, Value>;
}

/** Parses, resolves, compiles and runs a file; returns its globals. */
export function execute(thread: Thread, program: Program): ReadonlyMap<string, Value> {
  const source = new Source(program.file, program.text);
  const dialect = completeDialect(program.dialect);
  const { predeclared } = program;
  const statements = parse(source);
  const { globals: globalNames, scope } = resolve(statements, {
    source,
    dialect,
    isPredeclared: (name) => predeclared.has(name),
    isUniversal: (name) => universe.has(name),
  });
  const globals: (Value | undefined)[] = globalNames.map(() => undefined);
  const module: ModuleState = { source, dialect, globals, predeclared, universe };
  const topLevel = compileFile(module, statements, scope);
  crossBoundary(thread, () => callWithSlots(thread, topLevel, []));
  const exported = new Map<string, Value>();
  for (const [index, name] of globalNames.entries()) {
    const value = globals[index];
    if (value !== undefined) exported.set(name, value);
  }
  return exported;
}
