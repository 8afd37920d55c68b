import type { JsonObject, SchemaOf, ValueOf } from "@biplane/core/internal";
import type { ChatMessage } from "../../rollout/message.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import type { Trace, TraceStep } from "../../rollout/trace.ts";
import {
  anything,
  boolean,
  described,
  enumOf,
  integer,
  list,
  map,
  named,
  number,
  object,
  orNull,
  record,
  shape,
  text,
  time,
} from "../../schema/builders.ts";
import { FailureRecord } from "../../schema/failure-record.ts";
import { EpisodeDetail, episodeErrors } from "../episodes/episode-api.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

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
  status: enumOf("running", "finished", "cancelled", "interrupted"),
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
};

const RunSummary = named("RunSummary", object(run, { endedAt: time }));
export type RunSummary = ValueOf<typeof RunSummary>;

const ActiveRollout = named(
  "ActiveRollout",
  object({ index: integer, repetition: integer, rowId: text, startedAt: time, steps: integer, reward: number }),
);
export type ActiveRollout = ValueOf<typeof ActiveRollout>;

const summary = named(
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
  }),
);
export type RunScoring = ValueOf<typeof RunScoring>;

const RunDetail = named(
  "RunDetail",
  object(
    {
      ...run,
      summary,
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

const trace = {
  id: text,
  run: text,
  index: integer,
  repetition: integer,
  rowId: text,
  seed: orNull(text),
  agent: text,
  model: text,
  startedAt: time,
  durationMs: number,
  steps: integer,
  reward: described("Null if a failure masks the rollout", orNull(number)),
  reason: text,
  message: orNull(text),
};

const TraceInfo = named("TraceInfo", object(trace));
export type TraceInfo = ValueOf<typeof TraceInfo>;

const messages = described(
  "OpenAI chat messages, with `control_plane_step` on the message that ends a step",
  list(record as unknown as JsonObject & SchemaOf<ChatMessage>),
);

const usage = shape<Trace["usage"]>(
  { prompt_tokens: number, completion_tokens: number, total_tokens: number },
  { cached_tokens: number },
);

const traceStep = named(
  "TraceStep",
  shape<TraceStep>(
    {
      step: integer,
      messages,
      observation: anything,
      reward: orNull(number),
      terminated: boolean,
      truncated: boolean,
      timings: object({ agentMs: number, actMs: number, judgeMs: number }),
      faults: list(object({ what: text, why: text })),
    },
    {
      call: object(
        { id: text, tool: text, input: anything, isError: boolean },
        { inner: list(anything), approval: anything },
      ),
      parts: map(number),
      stepCount: integer,
      usage,
      cost: number,
      retries: integer,
      failure: FailureRecord,
    },
  ),
);

const TraceDetail = named(
  "TraceDetail",
  object({
    ...trace,
    observation: anything,
    messages,
    ending: shape<Trace["ending"]>(
      { reason: text, terminated: boolean, truncated: boolean },
      { finishReason: text, kind: text, message: text },
    ),
    failure: orNull(FailureRecord),
    attempts: described(
      "Earlier attempts that failed, oldest first",
      list(object({ failure: FailureRecord, startedAt: time, steps: integer })),
    ),
    usage,
    trace: list(traceStep),
    canReplay: described("True if a served environment can replay or fork the trace", boolean),
  }),
);
export type TraceDetail = ValueOf<typeof TraceDetail>;

const divergence = orNull(
  object({
    step: described("-1 before the first step", integer),
    what: text,
    left: anything,
    right: anything,
  }),
);
export type TraceDivergence = ValueOf<typeof divergence>;

const TraceComparison = named("TraceComparison", object({ left: TraceDetail, right: TraceDetail, divergence }));
export type TraceComparison = ValueOf<typeof TraceComparison>;

const TraceReplay = named(
  "TraceReplay",
  object({
    episode: EpisodeDetail,
    divergence: described("Where the replay differed. The episode is in the state just before", divergence),
  }),
);
export type TraceReplay = ValueOf<typeof TraceReplay>;

const orders = ["index", "reward", "steps", "duration", "-index", "-reward", "-steps", "-duration"] as const;
const tooLong = "The trace is too long to be read here";
const traceId = { type: "string", minLength: 1 } as const;

export const runOperations = {
  "GET /api/runs": {
    scope: "runs",
    summary: "runs, newest first",
    query: filteredPage({ query: described("Substring of the id, name, tags, target, agent or model", text) }),
    response: pageOf("runs", RunSummary),
  },
  "GET /api/runs/:id": {
    scope: "runs",
    summary: "a run with summary, reward curve, distribution and end reasons",
    response: RunDetail,
  },
  "GET /api/runs/:id/traces": {
    scope: "runs",
    summary: "traces of a run",
    query: filteredPage({
      reason: described("`error` matches any error", text),
      minReward: number,
      maxReward: number,
      query: text,
      order: { ...described("Prefix with - to reverse", enumOf(...orders)), default: "index" },
    }),
    response: pageOf("traces", TraceInfo),
  },
  "GET /api/traces/:id": {
    scope: "runs",
    summary: "a trace, step by step",
    response: TraceDetail,
    errors: { 501: tooLong },
  },
  "GET /api/compare": {
    scope: "runs",
    summary: "two traces side by side, with their first difference",
    query: object({ left: traceId, right: traceId }),
    response: TraceComparison,
    errors: { 404: "No such trace", 501: tooLong },
  },
  "POST /api/traces/:id/replay": {
    scope: "runs",
    summary: "replay a trace up to a step; also needs the scope `episodes`",
    body: object({}, { steps: described("Default: all", { type: "integer", minimum: 0 }) }),
    response: TraceReplay,
    status: 201,
    errors: { 501: "No served environment can replay it, or the trace is too long", ...episodeErrors },
  },
} as const satisfies Operations;
