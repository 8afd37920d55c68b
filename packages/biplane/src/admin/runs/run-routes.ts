import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { AdminParts } from "../admin-parts.ts";
import { decodeUri, Turns } from "@biplane/core/internal";
import { personEntry } from "../../governance/audit/person-entry.ts";
import { playingCounts } from "../../queue/queue-tables.ts";
import { pruneRun } from "../../store/prune.ts";
import { pageOfTraces } from "../../store/runs/rollout-list.ts";
import { openRollouts } from "../../store/runs/rollouts.ts";
import { describeRun, isActive, isQueued } from "../../store/runs/run.ts";
import { figuresOf } from "../../store/runs/run-figures.ts";
import { listScorings } from "../../store/runs/scores.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { runOperations } from "./run-api.ts";
import type { RunDetail, RunSummary } from "./run-api.ts";
import { compareStoredRuns } from "./run-comparison.ts";
import { runComparisonOperations } from "./run-comparison-api.ts";
import { filtersOf, matches } from "./run-filter.ts";
import { pageOfRuns } from "./run-order.ts";
import type { FoundRun, FoundTotals, RunRepository } from "./run-repository.ts";
import { runDetail, runSummary } from "./run-view.ts";
import { traceQuery } from "./trace-query.ts";
import { traceInfo } from "./trace-view.ts";

/** `/api/runs` and `/api/run-comparison`: recorded runs. */
export function runRoutes({ runs, audit }: AdminParts): ApiRoutes {
  const record = (action: string, input: unknown, by: Principal) => audit?.record(personEntry(action, { input, by }));
  const find = async (id: string) => mustExist(await runs.find(id), "There is no such run.");
  const listed = routesOf(runOperations, {
    "GET /api/runs": async ({ query }) => {
      const { page, next } = pageOfRuns(
        (await runs.list()).filter((found) => matches(found, query)),
        query,
      );
      return { runs: await Promise.all(page.map(summaryOf)), next };
    },
    "GET /api/run-filters": async () => filtersOf(await runs.list()),
    "GET /api/runs/:id": async ({ parameters: { id } }) => detailOf(await find(id)),
    "PATCH /api/runs/:id": async ({ parameters: { id }, body, by }) => {
      const found = await find(id);
      const { name, tags } = body;
      await describeRun(found.store, id, { name: name?.trim(), tags: tags?.map((tag) => tag.trim()).filter(Boolean) });
      await record("runs/describe", { run: id, ...body }, by);
      const changed = await find(id);
      // Not the whole run: edit-runs does not include viewing it.
      return { id, name: changed.run.name ?? null, tags: [...changed.run.tags] };
    },
    "DELETE /api/runs/:id": async ({ parameters: { id }, by }) => {
      const found = await find(id);
      if (isActive(found.run))
        throw new BiplaneError("CONFLICT", `The run ${id} is being played. Cancel it, then delete it.`);
      const turns = new Turns();
      await pruneRun(found.store, id, async () => turns.next());
      await record("runs/delete", { run: id, rollouts: found.run.ended }, by);
    },
    "GET /api/runs/:id/traces": async ({ parameters: { id }, query }) => {
      const found = await find(id);
      const { after, limit } = query;
      const { rows, next } = await pageOfTraces(found.store, found.run.id, { ...traceQuery(query), after, limit });
      return { traces: rows.map(traceInfo), next };
    },
  });
  const compared = routesOf(runComparisonOperations, {
    "GET /api/run-comparison": async ({ query }) => compareStoredRuns(await chosenRuns(runs, query.runs), query),
  });
  return { ...listed, ...compared };
}

const maxOpen = 50;
const maxCompared = 8;

async function summaryOf({ run, store, totals, score }: FoundTotals): Promise<RunSummary> {
  return runSummary(run, { totals, score, playing: await playingOf({ run, store }) });
}

async function detailOf(found: FoundRun): Promise<RunDetail> {
  const { run, store } = found;
  return runDetail(run, {
    figures: await figuresOf(store, run),
    scorings: await listScorings(store, run.id),
    open: isActive(run) ? await openRollouts(store, run.id, maxOpen) : [],
    playing: await playingOf(found),
  });
}

async function playingOf({ run, store }: FoundRun): Promise<number | null> {
  return isQueued(run) && isActive(run) ? ((await playingCounts(store)).get(run.id) ?? 0) : null;
}

async function chosenRuns(runs: RunRepository, list: string): Promise<FoundRun[]> {
  const ids = [...new Set(list.split(",").map((id) => decodeUri(id) ?? id))];
  if (ids.length < 2 || ids.length > maxCompared)
    throw new BiplaneError("INVALID_INPUT", `runs must name 2 to ${maxCompared} different runs, not ${ids.length}.`);
  const found: FoundRun[] = [];
  for (const id of ids) {
    const run = await runs.find(id);
    if (!run) throw new BiplaneError("INVALID_INPUT", `There is no run ${JSON.stringify(id.slice(0, 200))}.`);
    found.push(run);
  }
  return found;
}
