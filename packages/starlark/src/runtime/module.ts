import type { FullDialect } from "../syntax/dialect.ts";
import type { Source } from "../syntax/source.ts";
import type { Value } from "../values/value.ts";

/** Run-time state that the functions of one file share. */
export interface ModuleState {
  readonly source: Source;
  readonly dialect: FullDialect;
  /** Values by slot; undefined until the program assigns them. */
  readonly globals: (Value | undefined)[];
  readonly predeclared: ReadonlyMap<string, Value>;
  readonly universe: ReadonlyMap<string, Value>;
}
