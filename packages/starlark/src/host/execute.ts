import { universe } from "../builtins/universe.ts";
import { compileFile } from "../compile/compile-file.ts";
import { resolve } from "../resolve/resolver.ts";
import { callWithSlots } from "../runtime/call.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import type { ModuleState } from "../runtime/module.ts";
import type { Thread } from "../runtime/thread.ts";
import { completeDialect, type Dialect } from "../syntax/dialect.ts";
import type { Statement } from "../syntax/ast.ts";
import { parse } from "../syntax/parser.ts";
import { Source } from "../syntax/source.ts";
import type { Value } from "../values/value.ts";

export interface Program {
  readonly file: string;
  readonly text: string;
  readonly dialect: Dialect | undefined;
  readonly predeclared: ReadonlyMap<string, Value>;
  /** Values of globals from an earlier program, which this one can read and assign (default: none). */
  readonly kept?: ReadonlyMap<string, Value>;
}

/** Parses, resolves, compiles and runs a file. The value is what the file returned, if its dialect allows that. */
export function execute(thread: Thread, program: Program) {
  const source = new Source(program.file, program.text);
  const dialect = completeDialect(program.dialect);
  const { kept } = program;
  const predeclared = kept ? new Map([...kept, ...program.predeclared]) : program.predeclared;
  const parsed = parse(source);
  const statements = dialect.topLevelReturn ? returningLast(parsed) : parsed;
  const { globals: globalNames, scope } = resolve(statements, {
    source,
    dialect,
    isPredeclared: (name) => predeclared.has(name),
    isUniversal: (name) => universe.has(name),
  });
  const globals = globalNames.map((name) => kept?.get(name));
  const module: ModuleState = { source, dialect, globals, predeclared, universe };
  const topLevel = compileFile(module, statements, scope);
  const value = crossBoundary(thread, () => callWithSlots(thread, topLevel, []));
  const exported = new Map<string, Value>();
  for (const [index, name] of globalNames.entries()) {
    const value = globals[index];
    if (value !== undefined) exported.set(name, value);
  }
  return { exports: exported, value };
}

/** A last statement that is an expression becomes the value of the file. */
function returningLast(statements: readonly Statement[]): readonly Statement[] {
  const last = statements.at(-1);
  if (last?.kind !== "expression") return statements;
  return [...statements.slice(0, -1), { kind: "return", at: last.at, value: last.expression }];
}
