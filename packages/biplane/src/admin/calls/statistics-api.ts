import type { ValueOf } from "@biplane/core/internal";
import { described, enumOf, integer, list, named, number, object, orNull, text, time } from "../../schema/builders.ts";
import type { Operations } from "../http/operation.ts";

const range = enumOf("1h", "6h", "24h", "7d", "30d");
export type StatisticsRange = ValueOf<typeof range>;

/** How the calls ended. */
export const outcomeCounts = {
  calls: integer,
  failed: described("Calls that did not run to their end: denied, asked, invalid and errors", integer),
  refused: described("Of the failed calls: denied by a policy, a person, a scope or a limit, or asked", integer),
  asked: described("Of the refused calls, those that wait for a person's approval", integer),
  invalid: described("Of the failed calls, those that were wrong themselves, such as invalid input", integer),
};

const quantiles = object({ p50: orNull(number), p95: orNull(number), p99: orNull(number) });

const countedCalls = {
  ...outcomeCounts,
  waited: described("Calls that waited for a person", integer),
  run: described("Run time in milliseconds, without waits, right to 5 %; null without calls", quantiles),
  wait: described("Waits for a person in milliseconds, of the calls that waited", quantiles),
};
const CountedCalls = named("CountedCalls", object(countedCalls));
export type CountedCalls = ValueOf<typeof CountedCalls>;

const NamedCalls = named("NamedCalls", object({ server: text, name: text, ...countedCalls }));
export type NamedCalls = ValueOf<typeof NamedCalls>;

const byName = list(NamedCalls);

const CallStatisticsBody = named(
  "CallStatistics",
  object({
    from: described("Start of the first point", time),
    stepMs: described("Time from one point to the next", integer),
    all: CountedCalls,
    points: described("Oldest first. The last one is not over yet", list(CountedCalls)),
    tools: described("Most calls first, at most 100", byName),
    agents: byName,
    policies: described("Calls that a policy denied or asked about, by that policy", byName),
  }),
);
export type CallStatisticsBody = ValueOf<typeof CallStatisticsBody>;

/** Counts and durations of calls over time. */
export const statisticsOperations = {
  "GET /api/statistics": {
    scope: "calls",
    summary: "calls, failures and durations over time, and by tool, agent and policy",
    query: object({}, { range: { ...range, default: "24h" } }),
    response: CallStatisticsBody,
  },
} as const satisfies Operations;
