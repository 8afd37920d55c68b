/** The optional parts of the language (default: only `set`). */
export interface Dialect {
  /** The built-in function `set`. */
  readonly set?: boolean;
  /** `while` loops. */
  readonly while?: boolean;
  /** `if`, `for` and `while` outside functions. */
  readonly topLevelControl?: boolean;
  /** `return` outside functions. The value of the file is what it returns, or its last expression. */
  readonly topLevelReturn?: boolean;
  /** Assigning a global again. */
  readonly globalReassign?: boolean;
  /** Functions that call themselves, directly or not. */
  readonly recursion?: boolean;
  /** `load` creates globals, which other files can load, instead of file-local names. */
  readonly loadBindsGlobally?: boolean;
}

export type FullDialect = Required<Dialect>;

export function completeDialect(dialect: Dialect = {}): FullDialect {
  return { ...standardDialect, ...dialect };
}

const standardDialect: FullDialect = {
  set: true,
  while: false,
  topLevelControl: false,
  topLevelReturn: false,
  globalReassign: false,
  recursion: false,
  loadBindsGlobally: false,
};
