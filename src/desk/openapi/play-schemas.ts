import type { Summary } from "../../rollout/score/summary.ts";
import type { TraceStep } from "../../rollout/trace.ts";
import type {
  Comparison,
  EpisodeStep,
  Fork,
  OpenedEpisode,
  OpenedRun,
  OpenedTrace,
  PlayedStep,
  ReplayedTrace,
  ShownEpisode,
  ShownRun,
  ShownTrace,
} from "../contract.ts";
import {
  about,
  anything,
  flag,
  list,
  map,
  number,
  object,
  oneOf,
  orNull,
  record,
  ref,
  shape,
  text,
  time,
  whole,
} from "./schema.ts";

const episode = {
  server: text,
  id: text,
  label: orNull(text),
  seed: text,
  config: anything,
  startedAt: time,
  lastUsedAt: time,
  stepCount: whole,
  totalReward: number,
  lastReward: orNull(number),
  terminated: flag,
  truncated: flag,
  fault: orNull(text),
  origin: orNull(object({ trace: text, step: whole })),
  forkOf: orNull(ref("Fork")),
};

const run = {
  id: text,
  startedAt: time,
  target: text,
  agent: text,
  model: text,
  rows: whole,
  repetitions: whole,
  steps: whole,
  concurrency: whole,
  version: text,
  pid: whole,
  status: oneOf("running", "finished", "cancelled", "interrupted"),
  finished: whole,
  failed: whole,
  meanReward: orNull(number),
  standardError: orNull(number),
};

const trace = {
  id: text,
  run: text,
  index: whole,
  repetition: whole,
  rowId: text,
  seed: orNull(text),
  agent: text,
  model: text,
  startedAt: time,
  durationMs: number,
  steps: whole,
  reward: number,
  reason: text,
  message: orNull(text),
};

const usage = object({ prompt_tokens: number, completion_tokens: number, total_tokens: number });
const messages = about("As OpenAI's chat has them, and `control_plane_step` on the one that ends a step", list(record));
const divergence = orNull(object({ step: whole, what: text, left: anything, right: anything }));

/** Episodes, runs and traces. */
export const playSchemas = {
  ShownEpisode: shape<ShownEpisode>(episode),
  OpenedEpisode: shape<OpenedEpisode>({
    ...episode,
    observation: anything,
    rendered: orNull(ref("Rendered")),
    parts: orNull(map(number)),
    tools: list(ref("ShownTool")),
    steps: about("Those that were seen here, the oldest first, at most 200", list(ref("EpisodeStep"))),
    canFork: flag,
    forks: about("Those that were made of it and are still there", list(ref("Fork"))),
  }),
  Fork: about(
    "An episode at the other end of a fork, and after how many steps it was made",
    shape<Fork>({ episode: text, step: whole }),
  ),
  Rendered: {
    anyOf: [
      object({ kind: { const: "text" }, text }),
      object({ kind: { const: "image" }, mimeType: text, data: about("Base64", text) }),
    ],
  },
  EpisodeStep: shape<EpisodeStep>({
    step: whole,
    tool: text,
    input: anything,
    result: orNull(ref("ShownResult")),
    outcome: ref("Outcome"),
    reward: orNull(number),
    call: orNull(text),
  }),
  PlayedStep: shape<PlayedStep>({
    result: orNull(ref("ShownResult")),
    outcome: ref("Outcome"),
    message: orNull(text),
    episode: ref("OpenedEpisode"),
  }),
  ShownRun: shape<ShownRun>(run, { endedAt: time }),
  OpenedRun: shape<OpenedRun>(
    {
      ...run,
      summary: ref("Summary"),
      curve: list(object({ rollouts: whole, reward: number, running: number })),
      distribution: list(object({ from: number, to: number, count: whole })),
      reasons: map(whole),
    },
    { endedAt: time },
  ),
  Summary: shape<Summary>(
    {
      rows: whole,
      rollouts: whole,
      mean: number,
      standardError: number,
      interval: { ...list(number), minItems: 2, maxItems: 2 },
      passAt: about("By k: how likely one of k tries succeeds", map(number)),
      invalidScores: whole,
      reasons: map(whole),
      steps: whole,
      controlFailures: whole,
      tokens: number,
    },
    { cost: number },
  ),
  ShownTrace: shape<ShownTrace>(trace),
  OpenedTrace: shape<OpenedTrace>({
    ...trace,
    observation: anything,
    messages,
    ending: object(
      { reason: text, terminated: flag, truncated: flag },
      { finishReason: text, kind: text, message: text },
    ),
    usage,
    trace: list(ref("TraceStep")),
    canReplay: flag,
  }),
  TraceStep: shape<TraceStep>(
    {
      step: whole,
      messages,
      observation: anything,
      reward: orNull(number),
      terminated: flag,
      truncated: flag,
      timings: object({ agentMs: number, actMs: number, judgeMs: number }),
      faults: list(object({ what: text, why: text })),
    },
    {
      call: object(
        { id: text, name: text, input: anything, isError: flag },
        { inner: list(anything), approval: anything },
      ),
      parts: map(number),
      stepCount: whole,
      usage,
      cost: number,
      retries: whole,
    },
  ),
  Comparison: shape<Comparison>({ left: ref("OpenedTrace"), right: ref("OpenedTrace"), divergence }),
  ReplayedTrace: shape<ReplayedTrace>({ episode: ref("OpenedEpisode"), divergence }),
};
