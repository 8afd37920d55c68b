import type { SchemaRun } from "./run.ts";
import type { Check } from "./schema.ts";
import type { SchemaNode } from "./schema-document.ts";

/** What keywords need to compile: the checks of their subschemas and the shared run state. */
export interface Compiler {
  readonly run: SchemaRun;
  readonly checkFormats: boolean;
  /** Compiles a subschema on first use. */
  checkOf(this: void, node: SchemaNode): Check;
}
