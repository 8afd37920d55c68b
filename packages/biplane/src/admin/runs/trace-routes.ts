import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { personEntry } from "../../governance/audit/person-entry.ts";
import { addAnnotation, deleteAnnotation, listAnnotations } from "../../store/runs/annotations.ts";
import { neighboursOf } from "../../store/runs/rollout-list.ts";
import { scoresOfRollout } from "../../store/runs/scores.ts";
import type { RolloutRow } from "../../store/tables.ts";
import type { AdminParts } from "../admin-parts.ts";
import type { EpisodeList } from "../episodes/episode-list.ts";
import { requireSimulation, withCallFailures } from "../episodes/episode-routes.ts";
import { episodeDetail } from "../episodes/episode-view.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { requireScope } from "../overview/served.ts";
import { firstDivergence } from "./compare-traces.ts";
import { replayTarget } from "./replay-target.ts";
import { replayTrace } from "./replay-trace.ts";
import { traceId } from "./run-repository.ts";
import type { FoundTrace } from "./run-repository.ts";
import { traceOperations } from "./trace-api.ts";
import type { TraceDetail, TraceReplay } from "./trace-api.ts";
import { traceQuery } from "./trace-query.ts";
import { maxTraceLength, shownAnnotation, traceDetail } from "./trace-view.ts";

/** `/api/traces` and `/api/compare`: recorded rollouts, their annotations and replays. */
export function traceRoutes(parts: AdminParts): ApiRoutes {
  const { runs, episodes, audit } = parts;
  const findTrace = async (id: string) => mustExist(await runs.findTrace(id), noTrace);
  const findRollout = async (id: string) => mustExist(await runs.findRollout(id), noTrace);
  return routesOf(traceOperations, {
    "GET /api/traces/:id": async ({ parameters: { id } }) => opened(await findTrace(id), episodes),
    "GET /api/traces/:id/neighbours": async ({ parameters: { id }, query }) => {
      const found = await findRollout(id);
      const { previous, next } = await neighboursOf(found.store, found.row, traceQuery(query));
      return { previous: idOf(previous), next: idOf(next) };
    },
    "GET /api/compare": async ({ query }) => {
      const [left, right] = [await findTrace(query.left), await findTrace(query.right)];
      return {
        left: await opened(left, episodes, maxComparedLength),
        right: await opened(right, episodes, maxComparedLength),
        divergence: await firstDivergence(left.trace, right.trace),
      };
    },
    "POST /api/traces/:id/replay": ({ by, parameters: { id }, body }) =>
      withCallFailures(async () => {
        requireScope(by, "episodes"); // Reading traces does not include starting episodes.
        const found = await findTrace(id);
        const max = found.trace.steps.length;
        const { steps = max } = body;
        if (steps > max) throw new BiplaneError("INVALID_INPUT", `steps must be a whole number from 0 to ${max}.`);
        return replay(found, { id, by, steps }, parts);
      }),
    "POST /api/traces/:id/annotations": async ({ by, parameters: { id }, body }) => {
      const found = await findTrace(id);
      const { text, step = null, verdict = null } = body;
      const last = found.trace.steps.length;
      if (step !== null && step > last)
        throw new BiplaneError("INVALID_INPUT", `step must be null or a whole number from 0 to ${last}.`);
      if (text.trim() === "") throw new BiplaneError("INVALID_INPUT", "text must not be blank.");
      const { rollout } = found.row;
      const added = await addAnnotation(found.store, found.run.id, { rollout, step, verdict, text, author: by.id });
      await audit?.record(personEntry("traces/annotate", { input: { trace: id, step, verdict, text }, by }));
      return shownAnnotation(added);
    },
    "DELETE /api/traces/:id/annotations/:annotation": async ({ by, parameters: { id, annotation } }) => {
      const { run, store, row } = await findRollout(id);
      const isDeleted = await deleteAnnotation(store, { run: run.id, rollout: row.rollout, id: annotation });
      mustExist(isDeleted, "There is no such annotation. It may have been deleted.");
      await audit?.record(personEntry("traces/delete-annotation", { input: { trace: id, annotation }, by }));
    },
  });
}

/** Two traces are sent at once, and a response is written in one turn. */
const maxComparedLength = 3_000_000;

const noTrace = "There is no such trace.";

function idOf(row: RolloutRow | undefined): string | null {
  return row ? traceId(row.run, row.rollout) : null;
}

async function opened(found: FoundTrace, episodes: EpisodeList, maxLength = maxTraceLength): Promise<TraceDetail> {
  const { run, row, store, trace } = found;
  const target = replayTarget(episodes.environments, run, trace);
  return traceDetail(found, {
    maxLength,
    canReplay: typeof target !== "string" && target.server.mode === "simulation",
    scores: await scoresOfRollout(store, { run: run.id, index: row.row_index, repetition: row.repetition }),
    annotations: await listAnnotations(store, run.id, row.rollout),
  });
}

async function replay(
  { run, trace }: FoundTrace,
  { id, by, steps: requested }: { id: string; by: Principal; steps: number },
  { episodes, audit, onMove }: AdminParts,
): Promise<TraceReplay> {
  const environment = replayTarget(episodes.environments, run, trace);
  if (typeof environment === "string") throw new BiplaneError("NOT_SUPPORTED", environment);
  requireSimulation(environment);
  const { episode, steps, divergence } = await replayTrace(environment, trace, { steps: requested, by });
  episodes.setOrigin(episode, { trace: id, step: steps });
  onMove(episode.id);
  await audit?.record({
    ...personEntry("traces/replay", { input: { trace: id, steps: requested }, by }),
    episode: episode.id,
  });
  return { episode: await episodeDetail({ environment, episode }, episodes), divergence };
}
