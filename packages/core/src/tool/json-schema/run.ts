import { fault } from "./fault.ts";
import type { SchemaFault } from "./schema.ts";
import type { SchemaNode, SchemaResource } from "./schema-document.ts";

/** The resources used by one check. Schema and value may both be built to exhaust them. */
export interface SchemaRun {
  levels: number;
  work: number;
  /** Maximum number of subschemas, members and items visited. */
  readonly maxWork: number;
  /** Set when a limit is exceeded. It overrides the result, even under `not` or `anyOf`. */
  exceeded: SchemaFault | undefined;
  /** The schema resources entered so far, outermost first. Only kept if a `$dynamicRef` needs it. */
  readonly scope: SchemaResource[] | undefined;
}

/** Maximum nesting of references. Each level takes a few stack frames, well below Node's default stack. */
const MAX_LEVELS = 1000;
/** Default of `maxWork`: about a second, for trusted values and schemas. */
export const OWN_WORK = 20_000_000;
/** `maxWork` for untrusted values or schemas: some ten milliseconds. */
export const FOREIGN_WORK = 500_000;

export function startRun(run: SchemaRun): void {
  run.levels = 0;
  run.work = 0;
  run.exceeded = undefined;
  if (run.scope !== undefined) run.scope.length = 0;
}

/** Counts work. Where this returns false, the check must end with `run.exceeded`. */
export function spend(run: SchemaRun, work: number): boolean {
  run.work += work;
  if (run.work > run.maxWork) exceed(run, "takes too long to be checked against this schema");
  return run.exceeded === undefined;
}

/** Enters a referenced subschema. If it returns true, the matching `leave` must follow. */
export function enterSubschema(run: SchemaRun, levels: number): boolean {
  if (run.levels + levels > MAX_LEVELS) exceed(run, "is nested too deeply to be checked");
  if (run.exceeded !== undefined) return false;
  run.levels += levels;
  return true;
}

export function leaveSubschema(run: SchemaRun, levels: number): void {
  run.levels -= levels;
}

export function exceed(run: SchemaRun, message: string): SchemaFault {
  run.exceeded ??= fault(message);
  return run.exceeded;
}

/** The target of a `$dynamicRef`: the anchor in the outermost resource that has it. */
export function dynamicTarget(node: SchemaNode, run: SchemaRun): SchemaNode | undefined {
  if (node.dynamicReference === undefined) return undefined;
  const { anchor, fallback } = node.dynamicReference;
  for (const resource of run.scope ?? []) {
    const target = resource.dynamicAnchors.get(anchor);
    if (target !== undefined) return target;
  }
  return fallback;
}
