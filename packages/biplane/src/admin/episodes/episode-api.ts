import type { ValueOf } from "@biplane/core/internal";
import {
  anyOf,
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
  text,
  time,
} from "../../schema/builders.ts";
import { FailureRecord } from "../../schema/failure-record.ts";
import { caller, outcome, ResultBody, route } from "../calls/call-api.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { ToolSummary } from "../overview/overview-api.ts";

const Fork = named(
  "Fork",
  described(
    "The episode at the other end of a fork, and the step at which it was made",
    object({ episode: text, step: integer }),
  ),
);
export type Fork = ValueOf<typeof Fork>;

const episode = {
  server: text,
  id: text,
  label: orNull(text),
  seed: text,
  config: anything,
  startedAt: time,
  lastUsedAt: time,
  stepCount: integer,
  totalReward: described("Null if a failure masks the episode", orNull(number)),
  lastReward: orNull(number),
  terminated: boolean,
  truncated: boolean,
  failure: orNull(FailureRecord),
  playedBy: described(
    "Who made the last step; null before the first one. It is stored with the episode",
    orNull(object({ agentId: described("As the caller reported it", text), principal: caller, route })),
  ),
  origin: described(
    "The trace it was replayed from, and up to which step",
    orNull(object({ trace: text, step: integer })),
  ),
  forkOf: described("The episode it was forked from, if people forked it", orNull(Fork)),
};

const EpisodeSummary = named("EpisodeSummary", object(episode));
export type EpisodeSummary = ValueOf<typeof EpisodeSummary>;

const Rendered = named(
  "Rendered",
  anyOf(
    object({ kind: { const: "text" }, text }),
    object({ kind: { const: "image" }, mimeType: text, data: described("Base64", text) }),
  ),
);
export type Rendered = ValueOf<typeof Rendered>;

const EpisodeStep = named(
  "EpisodeStep",
  object({
    step: integer,
    tool: text,
    input: anything,
    result: orNull(ResultBody),
    outcome,
    reward: orNull(number),
    call: orNull(text),
  }),
);
export type EpisodeStep = ValueOf<typeof EpisodeStep>;

export const EpisodeDetail = named(
  "EpisodeDetail",
  object({
    ...episode,
    observation: anything,
    rendered: orNull(Rendered),
    parts: orNull(map(number)),
    tools: list(ToolSummary),
    steps: described("Observed steps, oldest first, at most the last 200", list(EpisodeStep)),
    canFork: boolean,
    forks: described("Forks that still exist, at most 50", list(Fork)),
  }),
);
export type EpisodeDetail = ValueOf<typeof EpisodeDetail>;

const PlayedStep = named(
  "PlayedStep",
  object({ result: orNull(ResultBody), outcome, message: orNull(text), episode: EpisodeDetail }),
);
export type PlayedStep = ValueOf<typeof PlayedStep>;

export const episodeErrors = {
  409: "The episode has ended",
  502: "The environment failed",
  503: "Too many episodes are open",
  504: "Timed out",
};

const seed = described("A non-negative whole number, or a string of digits if it is too large for one", {
  type: ["integer", "string", "null"],
  pattern: "^\\d{1,40}$",
});

export const episodeOperations = {
  "GET /api/episodes": {
    scope: "episodes",
    summary: "open episodes, and ended ones still in memory",
    query: filteredPage({ server: text, status: enumOf("open", "over") }),
    response: pageOf("episodes", EpisodeSummary),
  },
  "POST /api/episodes": {
    scope: "episodes",
    summary: "start an episode",
    body: object({ server: text }, { seed, config: anything }),
    response: EpisodeDetail,
    status: 201,
    errors: episodeErrors,
  },
  "GET /api/episodes/:id": {
    scope: "episodes",
    summary: "an episode with its rendered state and steps",
    response: EpisodeDetail,
  },
  "DELETE /api/episodes/:id": { scope: "episodes", summary: "end an episode" },
  "POST /api/episodes/:id/fork": {
    scope: "episodes",
    summary: "fork an episode at its current state",
    body: object({}),
    response: EpisodeDetail,
    status: 201,
    errors: { ...episodeErrors, 501: "This environment cannot be forked" },
  },
  "POST /api/episodes/:id/calls": {
    scope: "episodes",
    summary: "take one step by hand",
    body: object({ tool: text }, { input: anything }),
    response: PlayedStep,
    errors: episodeErrors,
  },
} as const satisfies Operations;
