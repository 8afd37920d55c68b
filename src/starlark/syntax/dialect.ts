/** Which optional parts of the language are on. Only `set` is, unless asked otherwise. */
export interface Dialect {
  /** The built-in function `set`. */
  readonly set?: boolean;
  /** `while` loops. */
  readonly while?: boolean;
  /** `if`, `for` and `while` outside functions. */
  readonly topLevelControl?: boolean;
  /** Assigning a global again. */
  readonly globalReassign?: boolean;
  /** Functions that call themselves, directly or not. */
  readonly recursion?: boolean;
  /** `load` makes globals, which other files can load in turn, rather than names of this file only. */
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
  globalReassign: false,
  recursion: false,
  loadBindsGlobally: false,
};
