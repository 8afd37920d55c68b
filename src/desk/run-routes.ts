import { found, made, notFound } from "../admin/api/answers.ts";
import { fieldsOf, oneOf, pageFrom, pageOf, wanted } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import { personEntry } from "../admin/audit/person-entry.ts";
import type { AuditSink } from "../call/audit.ts";
import { BiplaneError } from "../errors.ts";
import type { TraceOrder } from "../rollout/trace-list.ts";
import type { Principal } from "../tool/call.ts";
import { firstDivergence } from "./compare-traces.ts";
import type { Comparison, OpenedTrace, ReplayedTrace } from "./contract.ts";
import type { EpisodeBook } from "./episode-book.ts";
import { mayPlay, orFailure } from "./episode-routes.ts";
import { openedEpisode } from "./episode-view.ts";
import { replayTarget, shownTarget } from "./replay-target.ts";
import { replayTrace } from "./replay-trace.ts";
import type { FoundRun, FoundTrace, RunRoom } from "./run-room.ts";
import { openedRun, shownRun } from "./run-view.ts";
import { mustHave } from "./served.ts";
import { openedTrace, shownTrace } from "./trace-view.ts";

export interface RunParts {
  readonly room: RunRoom;
  /** Where traces are played again. */
  readonly book: EpisodeBook;
  /** Told of episodes that people begin. */
  readonly onChange?: (id: string) => void;
  readonly audit?: AuditSink | undefined;
}

/** `/api/runs`, `/api/traces` and `/api/compare`: what was played, and playing it again. */
export function runRoutes(parts: RunParts): Routes {
  const { room, book } = parts;
  const scope = "runs";
  return {
    "GET /api/runs": {
      scope,
      run: async ({ request }) => {
        const text = request.query.get("query")?.trim().toLowerCase() ?? "";
        const fitting = (await room.list()).filter(({ run }) => isAbout(run, text));
        const { page, next } = pageFrom(fitting, newestFirst, pageOf(request));
        const totals = await room.totals(page);
        return found({ runs: page.flatMap(({ run }, at) => (totals[at] ? [shownRun(run, totals[at])] : [])), next });
      },
    },
    "GET /api/runs/:id": {
      scope,
      run: async ({ parameters: { id = "" } }) => {
        const there = await room.find(id);
        if (!there) return noRun;
        const { run, shelf } = there;
        return found(openedRun(run, await shelf.digest(run), await shelf.underWay(run)));
      },
    },
    "GET /api/runs/:id/traces": {
      scope,
      run: async ({ parameters: { id = "" }, request }) => {
        const there = await room.find(id);
        if (!there) return noRun;
        const { query } = request;
        const { reason, query: text } = wanted(query, ["reason", "query"]);
        const order = oneOf(query, "order", orders) ?? "index";
        const { rows, next } = await there.shelf.page(there.run, {
          ...pageOf(request),
          order: order.replace("-", "") as TraceOrder,
          isDescending: order.startsWith("-"),
          reason,
          text,
          least: numberIn(query, "least"),
          most: numberIn(query, "most"),
        });
        return found({ traces: rows.map((facts) => shownTrace(id, facts)), next });
      },
    },
    "GET /api/traces/:id": {
      scope,
      run: async ({ parameters: { id = "" } }) => {
        const there = await room.findTrace(id);
        return there ? found(opened(there, book)) : noTrace;
      },
    },
    "GET /api/compare": {
      scope,
      run: async ({ request: { query } }) => {
        const [left, right] = [
          await room.findTrace(textOf(query, "left")),
          await room.findTrace(textOf(query, "right")),
        ];
        if (!left || !right) return noTrace;
        const comparison: Comparison = {
          left: opened(left, book),
          right: opened(right, book),
          divergence: firstDivergence(left.trace, right.trace),
        };
        return found(comparison);
      },
    },
    "POST /api/traces/:id/replay": {
      scope,
      run: ({ by, parameters: { id = "" }, request: { body = {} } }) =>
        orFailure(async () => {
          mustHave(by, "episodes"); // whoever may read traces may not yet begin any
          const there = await room.findTrace(id);
          if (!there) return noTrace;
          return made(await replay(there, { id, by, steps: stepsIn(body, there.trace.steps.length) }, parts));
        }),
    },
  };
}

const noRun = notFound("There is no such run");
const noTrace = notFound("There is no such trace, or it is still being played");

const orders = ["index", "reward", "steps", "duration", "-index", "-reward", "-steps", "-duration"] as const;

function opened(there: FoundTrace, book: EpisodeBook): OpenedTrace {
  const target = replayTarget(book.environments, there.run, there.trace);
  return openedTrace(there, typeof target !== "string" && target.server.mode === "simulation");
}

async function replay(
  { run, trace }: FoundTrace,
  { id, by, steps: wish }: { id: string; by: Principal; steps: number },
  { book, audit, onChange }: RunParts,
): Promise<ReplayedTrace> {
  const environment = replayTarget(book.environments, run, trace);
  if (typeof environment === "string") throw new BiplaneError("NOT_SUPPORTED", environment);
  mayPlay(environment);
  const { episode, steps, divergence } = await replayTrace(environment, trace, { steps: wish, by });
  book.setOrigin(episode, { trace: id, step: steps });
  onChange?.(episode.id);
  await audit?.record({ ...personEntry("traces/replay", { trace: id, steps: wish }, by), episode: episode.id });
  return { episode: await openedEpisode({ environment, episode }, book), divergence };
}

function stepsIn(body: unknown, most: number): number {
  const { steps = most } = fieldsOf(body, ["steps"]);
  if (Number.isInteger(steps) && Number(steps) >= 0 && Number(steps) <= most) return Number(steps);
  throw new BiplaneError("INVALID_INPUT", `steps must be a whole number from 0 to ${most}`);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text.trim() !== "" && text.length <= 40 && Number.isFinite(Number(text))) return Number(text);
  throw new BiplaneError("INVALID_INPUT", `${name} must be a number`);
}

function textOf(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text !== null && text !== "") return text;
  throw new BiplaneError("INVALID_INPUT", `${name} must be the id of a trace`);
}

/** Only what is shown is looked through: whoever searches must not be able to guess the rest, letter by letter. */
function isAbout({ id, target, agent, model }: FoundRun["run"], text: string): boolean {
  return text === "" || `${id} ${shownTarget(target)} ${agent} ${model}`.toLowerCase().includes(text);
}

/** Names tell only seconds, so the time it began goes first. */
function newestFirst({ run: { startedAt, id } }: FoundRun): string {
  return `${String(lastMoment - (Date.parse(startedAt) || 0)).padStart(16, "0")}-${id}`;
}

const lastMoment = 8_640_000_000_000_000;
