import type { JsonObject, SchemaOf, ValueOf } from "@biplane/core/internal";
import type { ChatMessage } from "../../rollout/message.ts";
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
import type { Operations } from "../http/operation.ts";

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
  tokens: number,
  cost: described("In dollars; null if it is not known", orNull(number)),
};

const orders = ["index", "reward", "steps", "duration", "-index", "-reward", "-steps", "-duration"] as const;

/** Filter and order of the traces of a run. */
export const traceFilter = {
  reason: described("`error` matches any error", text),
  minReward: number,
  maxReward: number,
  query: text,
  order: { ...described("Prefix with - to reverse", enumOf(...orders)), default: "index" },
} as const;

export const TraceInfo = named(
  "TraceInfo",
  object({ ...trace, score: described("In the newest scoring of the run; null if that gave none", orNull(number)) }),
);
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

const TraceScore = named(
  "TraceScore",
  object({
    name: described("The name of the scoring", text),
    scorer: described("The file or the name of the scorer", text),
    scoredAt: time,
    score: described("Null if the rollout is masked or the scorer failed", orNull(number)),
    reason: orNull(text),
    parts: list(object({ name: text, score: number, reason: text })),
  }),
);
export type TraceScore = ValueOf<typeof TraceScore>;

const verdict = described("Whether the person finds it good or bad; null for a remark", orNull(enumOf("good", "bad")));
const annotatedStep = described(
  "A position in the trace, where 0 is before the first step; null for the whole rollout",
  orNull({ type: "integer", minimum: 0 } as const),
);

const TraceAnnotation = named(
  "TraceAnnotation",
  object({ id: text, step: annotatedStep, verdict, text, author: text, createdAt: time }),
);
export type TraceAnnotation = ValueOf<typeof TraceAnnotation>;

const TraceDetail = named(
  "TraceDetail",
  object({
    ...trace,
    runTitle: described("The name of the run or, without one, what it plays", text),
    passed: described("Whether the reward passes in its run; null without a reward", orNull(boolean)),
    isRunning: described("True while the rollout is played. Then it has no ending yet", boolean),
    observation: anything,
    messages,
    ending: orNull(
      shape<Trace["ending"]>(
        { reason: text, terminated: boolean, truncated: boolean },
        { finishReason: text, kind: text, message: text },
      ),
    ),
    failure: orNull(FailureRecord),
    attempts: described(
      "Earlier attempts that failed, oldest first",
      list(object({ failure: FailureRecord, startedAt: time, steps: integer })),
    ),
    usage,
    trace: list(traceStep),
    scores: described("What scorers said, newest first", list(TraceScore)),
    annotations: described("What people wrote, oldest first", list(TraceAnnotation)),
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

const tooLong = "The trace is too long to be read here";
const traceId = { type: "string", minLength: 1 } as const;

export const traceOperations = {
  "GET /api/traces/:id": {
    scope: "runs",
    summary: "a trace, step by step, with scores and annotations, also while it is played",
    response: TraceDetail,
    errors: { 501: tooLong },
  },
  "GET /api/traces/:id/neighbours": {
    scope: "runs",
    summary: "the traces before and after a trace in a list of its run",
    query: object({}, traceFilter),
    response: object({
      previous: described("The id of a trace; null if the list has none before", orNull(text)),
      next: described("The id of a trace; null if the list has none after", orNull(text)),
    }),
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
  "POST /api/traces/:id/annotations": {
    scope: "edit-runs",
    summary: "annotate a rollout or one of its steps",
    body: object({ text: { type: "string", minLength: 1, maxLength: 4000 } }, { step: annotatedStep, verdict }),
    response: TraceAnnotation,
    status: 201,
    errors: { 503: "The rollout has 500 annotations" },
  },
  "DELETE /api/traces/:id/annotations/:annotation": { scope: "edit-runs", summary: "delete an annotation" },
} as const satisfies Operations;
