import { shownStatus } from "../../store/runs/run.ts";
import type { RunFilters, RunSummary } from "./run-api.ts";
import { redactTarget } from "./replay-target.ts";
import type { FoundRun } from "./run-repository.ts";

/** Which runs a list shows. Empty values match all. */
interface RunCriteria {
  readonly query?: string | undefined;
  readonly status?: RunSummary["status"] | undefined;
  readonly tag?: string | undefined;
  readonly target?: string | undefined;
  readonly model?: string | undefined;
}

/** Compares only what is shown, so that hidden parts cannot be guessed. */
export function matches({ run }: FoundRun, { query = "", status, tag, target, model }: RunCriteria): boolean {
  const words = query.trim().toLowerCase();
  const shownTarget = redactTarget(run.target);
  if (status !== undefined && shownStatus(run) !== status) return false;
  if (tag !== undefined && !run.tags.includes(tag)) return false;
  if (target !== undefined && shownTarget !== target) return false;
  if (model !== undefined && run.model !== model) return false;
  const { id, name = "", tags, agent } = run;
  return words === "" || [id, name, ...tags, shownTarget, agent, run.model].join(" ").toLowerCase().includes(words);
}

/** The values that filters can have. */
export function filtersOf(found: readonly FoundRun[]): RunFilters {
  const distinct = (valuesOf: (found: FoundRun) => readonly string[]) =>
    [...new Set(found.flatMap(valuesOf))].sort().slice(0, maxValues);
  return {
    tags: distinct(({ run }) => run.tags),
    targets: distinct(({ run }) => [redactTarget(run.target)]),
    models: distinct(({ run }) => (run.model === "" ? [] : [run.model])),
  };
}

const maxValues = 200;
