import type { Operations } from "./operation.ts";
import { about, anything, body, number, oneOf, pageOf, ref, text, whole } from "./schema.ts";

const over = {
  409: "The episode is over",
  502: "The environment failed",
  503: "There is no room for another episode",
  504: "It took too long",
};

const orders = ["index", "reward", "steps", "duration"];

/** Episodes, runs and traces. */
export const playOperations: Operations = {
  "GET /api/episodes": {
    summary: "the episodes that are open, or over and not yet forgotten",
    query: { server: text, status: oneOf("open", "over") },
    isPaged: true,
    answer: pageOf("episodes", ref("ShownEpisode")),
  },
  "POST /api/episodes": {
    summary: "begin an episode",
    body: body({ server: text }, { seed: { type: ["integer", "string"] }, config: anything }),
    answer: ref("OpenedEpisode"),
    status: 201,
    errors: over,
  },
  "GET /api/episodes/:id": { summary: "an episode with its rendered state and steps", answer: ref("OpenedEpisode") },
  "DELETE /api/episodes/:id": { summary: "end an episode" },
  "POST /api/episodes/:id/fork": {
    summary: "a second episode that stands where this one does",
    isBodyOptional: true,
    body: body({}),
    answer: ref("OpenedEpisode"),
    status: 201,
    errors: { ...over, 501: "This environment cannot be forked" },
  },
  "POST /api/episodes/:id/calls": {
    summary: "one step by hand",
    body: body({ tool: text }, { input: anything }),
    answer: ref("PlayedStep"),
    errors: over,
  },
  "GET /api/runs": {
    summary: "runs, the newest first",
    query: { query: about("A part of the id, target, agent or model", text) },
    isPaged: true,
    answer: pageOf("runs", ref("ShownRun")),
  },
  "GET /api/runs/:id": {
    summary: "a run: its summary, reward curve, distribution and reasons",
    answer: ref("OpenedRun"),
  },
  "GET /api/runs/:id/traces": {
    summary: "the traces of a run",
    query: {
      reason: text,
      least: about("The least reward", number),
      most: about("The largest reward", number),
      query: text,
      order: about("With - in front, the other way round", oneOf(...orders, ...orders.map((order) => `-${order}`))),
    },
    isPaged: true,
    answer: pageOf("traces", ref("ShownTrace")),
  },
  "GET /api/traces/:id": { summary: "a trace, step by step", answer: ref("OpenedTrace") },
  "GET /api/compare": {
    summary: "two traces side by side, from where they part",
    query: { left: text, right: text },
    mustSay: ["left", "right"],
    answer: ref("Comparison"),
    errors: { 404: "There is no such trace" },
  },
  "POST /api/traces/:id/replay": {
    summary: "an episode that stands where the trace stood after so many steps; needs the scope episodes too",
    isBodyOptional: true,
    body: body({}, { steps: about("Left out: all", { ...whole, minimum: 0 }) }),
    answer: ref("ReplayedTrace"),
    status: 201,
    errors: { 501: "Nothing here can play it", ...over },
  },
};
