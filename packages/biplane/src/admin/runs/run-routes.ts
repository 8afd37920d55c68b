import { newestFirstKey, paginate } from "../http/input.ts";
import { notFound, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { personEntry } from "../../governance/audit/person-entry.ts";
import type { AuditSink } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import { openRollouts } from "../../store/runs/rollouts.ts";
import { playingCounts } from "../../queue/queue-tables.ts";
import { isActive, isQueued } from "../../store/runs/run.ts";
import { figuresOf } from "../../store/runs/run-figures.ts";
import { listScorings } from "../../store/runs/scores.ts";
import { pageOfTraces } from "../../store/runs/rollout-list.ts";
import type { TraceOrder } from "../../store/runs/rollout-list.ts";
import type { Principal } from "@biplane/core";
import { firstDivergence } from "./compare-traces.ts";
import type { EpisodeList } from "../episodes/episode-list.ts";
import { requireSimulation, withCallFailures } from "../episodes/episode-routes.ts";
import { episodeDetail } from "../episodes/episode-view.ts";
import { replayTarget, redactTarget } from "./replay-target.ts";
import { replayTrace } from "./replay-trace.ts";
import type { FoundRun, FoundTrace, RunRepository } from "./run-repository.ts";
import { runOperations } from "./run-api.ts";
import type { TraceDetail, TraceReplay } from "./run-api.ts";
import { runDetail, runSummary } from "./run-view.ts";
import type { RunFacts } from "./run-view.ts";
import { requireScope } from "../overview/served.ts";
import { traceDetail, traceInfo } from "./trace-view.ts";

export interface RunRouteParts {
  readonly runs: RunRepository;
  /** Episodes, for replaying traces. */
  readonly episodes: EpisodeList;
  /** Called for episodes that people start. */
  readonly onChange?: (id: string) => void;
  readonly audit?: AuditSink | undefined;
}

/** `/api/runs`, `/api/traces` and `/api/compare`: recorded runs and replays. */
export function runRoutes(parts: RunRouteParts): ApiRoutes {
  const { runs, episodes } = parts;
  return routesOf(runOperations, {
    "GET /api/runs": async ({ query }) => {
      const text = query.query?.trim().toLowerCase() ?? "";
      const matching = (await runs.list()).filter(({ run }) => isAbout(run, text));
      // Run ids only have seconds, so sort by start time first.
      const keyOf = ({ run }: FoundRun) => newestFirstKey(Date.parse(run.startedAt) || 0, run.id);
      const { page, next } = paginate(matching, keyOf, query);
      const listed = page.map(async (found) => runSummary(found.run, await factsOf(found)));
      return { runs: await Promise.all(listed), next };
    },
    "GET /api/runs/:id": async ({ parameters: { id } }) => {
      const found = await runs.find(id);
      if (!found) return noRun;
      const { run, store } = found;
      const open = isActive(run) ? await openRollouts(store, run.id, maxOpen) : [];
      const scorings = await listScorings(store, run.id);
      return runDetail(run, { ...(await factsOf(found)), scorings, open });
    },
    "GET /api/runs/:id/traces": async ({ parameters: { id }, query }) => {
      const found = await runs.find(id);
      if (!found) return noRun;
      const { after, limit, order, reason, query: text, minReward, maxReward } = query;
      const { rows, next } = await pageOfTraces(found.store, found.run.id, {
        after,
        limit,
        order: order.replace("-", "") as TraceOrder,
        isDescending: order.startsWith("-"),
        reason,
        text,
        minReward,
        maxReward,
      });
      return { traces: rows.map(traceInfo), next };
    },
    "GET /api/traces/:id": async ({ parameters: { id } }) => {
      const found = await runs.findTrace(id);
      return found ? opened(found, episodes) : noTrace;
    },
    "GET /api/compare": async ({ query }) => {
      const [left, right] = [await runs.findTrace(query.left), await runs.findTrace(query.right)];
      if (!left || !right) return noTrace;
      return {
        left: opened(left, episodes),
        right: opened(right, episodes),
        divergence: firstDivergence(left.trace, right.trace),
      };
    },
    "POST /api/traces/:id/replay": ({ by, parameters: { id }, body }) =>
      withCallFailures(async () => {
        requireScope(by, "episodes"); // Reading traces does not include starting episodes.
        const found = await runs.findTrace(id);
        if (!found) return noTrace;
        const max = found.trace.steps.length;
        const { steps = max } = body;
        if (steps > max) throw new BiplaneError("INVALID_INPUT", `steps must be a whole number from 0 to ${max}.`);
        return replay(found, { id, by, steps }, parts);
      }),
  });
}

const maxOpen = 50;

async function factsOf({ run, store }: FoundRun): Promise<RunFacts> {
  const isPlayed = isQueued(run) && isActive(run);
  const playing = isPlayed ? ((await playingCounts(store)).get(run.id) ?? 0) : null;
  return { figures: await figuresOf(store, run), playing };
}

const noRun = notFound("There is no such run.");
const noTrace = notFound("There is no such trace, or its rollout is still running.");

function opened(found: FoundTrace, episodes: EpisodeList): TraceDetail {
  const target = replayTarget(episodes.environments, found.run, found.trace);
  return traceDetail(found, typeof target !== "string" && target.server.mode === "simulation");
}

async function replay(
  { run, trace }: FoundTrace,
  { id, by, steps: requested }: { id: string; by: Principal; steps: number },
  { episodes, audit, onChange }: RunRouteParts,
): Promise<TraceReplay> {
  const environment = replayTarget(episodes.environments, run, trace);
  if (typeof environment === "string") throw new BiplaneError("NOT_SUPPORTED", environment);
  requireSimulation(environment);
  const { episode, steps, divergence } = await replayTrace(environment, trace, { steps: requested, by });
  episodes.setOrigin(episode, { trace: id, step: steps });
  onChange?.(episode.id);
  await audit?.record({
    ...personEntry("traces/replay", { input: { trace: id, steps: requested }, by }),
    episode: episode.id,
  });
  return { episode: await episodeDetail({ environment, episode }, episodes), divergence };
}

/** Searches only what is shown, so that hidden parts cannot be guessed. */
function isAbout({ id, name = "", tags, target, agent, model }: FoundRun["run"], text: string): boolean {
  const shown = [id, name, ...tags, redactTarget(target), agent, model];
  return text === "" || shown.join(" ").toLowerCase().includes(text);
}
