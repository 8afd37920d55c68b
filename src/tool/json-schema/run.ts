import { fault } from "./fault.ts";
import type { SchemaFault } from "./schema.ts";
import type { SchemaNode, SchemaResource } from "./schema-document.ts";

/** What one check of one value has used so far. Schema and value may both be chosen to never end. */
export interface Run {
  levels: number;
  work: number;
  /** Set once a limit is passed. It decides the result, whatever a `not` or `anyOf` makes of it. */
  exceeded: SchemaFault | undefined;
  /** The resources entered on the way here, outermost first. Kept only for schemas where `$dynamicRef` needs it. */
  readonly scope: SchemaResource[] | undefined;
}

/** Levels of subschemas, each a few stack frames: well below what Node's default stack holds. */
const MAX_LEVELS = 1000;
/** Subschemas tried, members and items visited: about a second. */
const MAX_WORK = 20_000_000;

export function startRun(run: Run): void {
  run.levels = 0;
  run.work = 0;
  run.exceeded = undefined;
  if (run.scope !== undefined) run.scope.length = 0;
}

/** Counts work, and looks at the limit. References and `unevaluated…` multiply work: there, false must end the check. */
export function spend(run: Run, work: number): boolean {
  run.work += work;
  if (run.work > MAX_WORK) exceed(run, "takes too long to be checked against this schema");
  return run.exceeded === undefined;
}

/** Goes down into a referenced subschema; each true answer must be followed by `leave`. */
export function enter(run: Run, levels: number): boolean {
  if (run.levels + levels > MAX_LEVELS) exceed(run, "is nested too deeply to be checked");
  if (run.exceeded !== undefined) return false;
  run.levels += levels;
  return true;
}

export function leave(run: Run, levels: number): void {
  run.levels -= levels;
}

export function exceed(run: Run, message: string): SchemaFault {
  run.exceeded ??= fault(message);
  return run.exceeded;
}

/** Where a `$dynamicRef` leads now: to the anchor in the outermost resource that has one. */
export function dynamicTarget(node: SchemaNode, run: Run): SchemaNode | undefined {
  if (node.dynamicReference === undefined) return undefined;
  const { anchor, fallback } = node.dynamicReference;
  for (const resource of run.scope ?? []) {
    const target = resource.dynamicAnchors.get(anchor);
    if (target !== undefined) return target;
  }
  return fallback;
}
