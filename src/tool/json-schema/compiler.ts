import type { Run } from "./run.ts";
import type { Check } from "./schema.ts";
import type { SchemaNode } from "./schema-document.ts";

/** What a keyword needs to compile: the checks of its subschemas, and the state they share during a check. */
export interface Compiler {
  readonly run: Run;
  /** Compiles a subschema the first time it is asked for. */
  checkOf(this: void, node: SchemaNode): Check;
}
