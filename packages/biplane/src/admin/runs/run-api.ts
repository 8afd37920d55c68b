import type { ValueOf } from "@biplane/core/internal";
import type { Summary } from "../../rollout/score/summary.ts";
import {
  described,
  enumOf,
  integer,
  list,
  map,
  named,
  number,
  object,
  orNull,
  shape,
  text,
  time,
} from "../../schema/builders.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { TraceInfo, traceFilter } from "./trace-api.ts";

const runStatuses = ["running", "finished", "failed", "cancelled", "interrupted"] as const;

const run = {
  id: text,
  name: described("The name that a person gave the run", orNull(text)),
  pass: described("The least reward with which a rollout passes; null if any above 0 does", orNull(number)),
  startedAt: time,
  target: text,
  agent: text,
  model: text,
  rows: integer,
  repetitions: integer,
  steps: integer,
  concurrency: integer,
  version: text,
  pid: integer,
  tags: list(text),
  status: described("`failed` if each rollout failed", enumOf(...runStatuses)),
  finished: integer,
  failed: integer,
  playing: described(
    "Rollouts that workers are playing; null if the run is over or one process plays it",
    orNull(integer),
  ),
  masked: described("Rollouts that a failure left without a reward", integer),
  meanReward: described("Over the rows with a reward; null if there is none", orNull(number)),
  standardError: described(
    "Of the mean over rows. Null for fewer than two rows and for runs that were recorded without it",
    orNull(number),
  ),
  passRate: described("pass@1: the share of rollouts that pass", orNull(number)),
  tokens: number,
  cost: described("In dollars; null if it is not known", orNull(number)),
  score: described(
    "The newest result of a scorer",
    orNull(object({ name: text, mean: orNull(number), standardError: orNull(number) })),
  ),
};

export const RunSummary = named("RunSummary", object(run, { endedAt: time }));
export type RunSummary = ValueOf<typeof RunSummary>;

const ActiveRollout = named(
  "ActiveRollout",
  object({
    id: text,
    index: integer,
    repetition: integer,
    rowId: text,
    startedAt: time,
    steps: integer,
    reward: number,
  }),
);
export type ActiveRollout = ValueOf<typeof ActiveRollout>;

export const RewardSummary = named(
  "Summary",
  shape<Summary>(
    {
      rows: described("Rows with a score", integer),
      rollouts: integer,
      masked: described("Rollouts without a score, which are in no average", integer),
      maskedBy: described("The same by kind of failure", map(integer)),
      mean: orNull(number),
      standardError: number,
      interval: orNull({ ...list(number), minItems: 2, maxItems: 2 }),
      pass: orNull(number),
      passAt: described("Probability that at least one of k rollouts passes, by k", map(number)),
      invalidScores: integer,
      reasons: map(integer),
      steps: integer,
      controlFailures: integer,
      tokens: number,
    },
    { cost: number },
  ),
);

const RunScoring = named(
  "RunScoring",
  object({
    name: text,
    scorer: described("The file or the name of the scorer", text),
    scoredAt: time,
    rollouts: integer,
    mean: orNull(number),
    standardError: described("Of the mean over rows; null for fewer than two", orNull(number)),
    masked: integer,
    invalidScores: integer,
    interval: described("Of 95 %", orNull({ ...list(number), minItems: 2, maxItems: 2 })),
  }),
);
export type RunScoring = ValueOf<typeof RunScoring>;

const RunDetail = named(
  "RunDetail",
  object(
    {
      ...run,
      summary: RewardSummary,
      curve: described(
        "Mean reward of rollouts in order of completion, in at most 200 points, with a running mean",
        list(object({ rollouts: integer, reward: number, running: number })),
      ),
      distribution: list(object({ from: number, to: number, count: integer })),
      reasons: map(integer),
      scorings: described("What scorers said, newest first", list(RunScoring)),
      activeRollouts: described("Running rollouts, oldest first, at most 50", list(ActiveRollout)),
    },
    { endedAt: time },
  ),
);
export type RunDetail = ValueOf<typeof RunDetail>;

const RunFilters = named("RunFilters", object({ tags: list(text), targets: list(text), models: list(text) }));
export type RunFilters = ValueOf<typeof RunFilters>;

const runOrders = [
  "started",
  "name",
  "status",
  "model",
  "rollouts",
  "failed",
  "reward",
  "pass",
  "score",
  "tokens",
  "cost",
  "duration",
] as const;
export type RunOrder = (typeof runOrders)[number];

const reversed = runOrders.map((order) => `-${order}` as const);

export const runOperations = {
  "GET /api/runs": {
    scope: "runs",
    summary: "runs, newest first or in another order",
    query: filteredPage({
      query: described("Substring of the id, name, tags, target, agent or model", text),
      status: enumOf(...runStatuses),
      tag: text,
      target: described("Exactly as the list shows it", text),
      model: text,
      order: {
        ...described("Prefix with - to reverse. Runs without a value come last", enumOf(...runOrders, ...reversed)),
        default: "-started",
      },
    }),
    response: pageOf("runs", RunSummary),
  },
  "GET /api/run-filters": {
    scope: "runs",
    summary: "the tags, targets and models of all runs, at most 200 of each",
    response: RunFilters,
  },
  "GET /api/runs/:id": {
    scope: "runs",
    summary: "a run with summary, reward curve, distribution and end reasons",
    response: RunDetail,
  },
  "PATCH /api/runs/:id": {
    scope: "edit-runs",
    summary: "name and tag a run; an empty name removes it",
    body: object(
      {},
      {
        name: { type: "string", maxLength: 200 },
        tags: { ...list({ type: "string", minLength: 1, maxLength: 100 }), maxItems: 50 },
      },
    ),
    response: object({ id: text, name: orNull(text), tags: list(text) }),
  },
  "DELETE /api/runs/:id": {
    scope: "edit-runs",
    summary: "delete a run with its rollouts, traces, scores and annotations",
    errors: { 409: "The run is being played" },
  },
  "GET /api/runs/:id/traces": {
    scope: "runs",
    summary: "traces of a run",
    query: filteredPage(traceFilter),
    response: pageOf("traces", TraceInfo),
  },
} as const satisfies Operations;
