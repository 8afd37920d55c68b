import type { ValueOf } from "@biplane/core/internal";
import { described, integer, list, object, orNull, text } from "../../schema/builders.ts";
import { callFilter, CallSummary } from "../calls/call-api.ts";
import type { Operations } from "../http/operation.ts";
import { Figures } from "../overview/overview-api.ts";

const ModuleState = object({
  version: described("Number of times that the module was loaded", integer),
  problem: described("Why its newest version is not running", orNull(text)),
});
export type ModuleState = ValueOf<typeof ModuleState>;

const changed = object({ changed: described("Ids; empty if there were too many to list", list(text)) });

const events = {
  figures: Figures,
  calls: object({ calls: list(CallSummary), skipped: described("Number of omitted calls", integer) }),
  approvals: object({
    waiting: described("Number of waiting calls", integer),
    answered: described("Ids of the calls that were answered, at most 50", list(text)),
  }),
  episodes: changed,
  runs: changed,
  module: ModuleState,
} as const;

/** The data of each event, by topic. */
export type LiveEvents = { readonly [Topic in keyof typeof events]: ValueOf<(typeof events)[Topic]> };

export const eventOperations = {
  "GET /api/events": {
    scope: "person",
    summary: "live updates as server-sent events",
    query: object(
      {},
      {
        topics: described(
          "Comma-separated: `figures`, `calls`, `approvals`, `episodes`, `runs`, `module` (default: all)",
          text,
        ),
        ...callFilter,
      },
    ),
    events,
    errors: { 503: "Too many streams are open" },
  },
} as const satisfies Operations;
