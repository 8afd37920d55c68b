import type { ValueOf } from "@biplane/core/internal";
import { boolean, described, integer, list, map, named, number, object, orNull, text } from "../../schema/builders.ts";
import { filteredPage } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { RunSummary } from "./run-api.ts";

const interval = orNull({ ...list(number), minItems: 2, maxItems: 2 });

const RunDifference = named(
  "RunDifference",
  described(
    "A run minus the first one, over the rows that both have",
    object({
      mean: orNull(number),
      standardError: described("Null for fewer than two rows, like the interval", orNull(number)),
      interval,
      better: integer,
      worse: integer,
      equal: integer,
      masked: described("Rows without a score in one of the two", integer),
      onlyHere: described("Rows that the first run does not have", integer),
      onlyFirst: described("Rows that only the first run has", integer),
    }),
  ),
);

const ComparedRun = named(
  "ComparedRun",
  object({
    run: RunSummary,
    mean: orNull(number),
    standardError: described("Of the mean over rows; null for fewer than two", orNull(number)),
    interval,
    passRate: orNull(number),
    endings: map(integer),
    parts: described("Means of the parts of reward or score", map(number)),
    steps: integer,
    difference: described("Null for the first run", orNull(RunDifference)),
  }),
);
export type ComparedRun = ValueOf<typeof ComparedRun>;

const ComparedRow = named(
  "ComparedRow",
  object({
    rowId: text,
    cells: described(
      "One for each run; null if it does not have the row",
      list(
        orNull(
          object({
            score: described("The mean of its rollouts", orNull(number)),
            rollouts: integer,
            trace: described("The id of the first rollout's trace", text),
            ending: text,
            steps: integer,
          }),
        ),
      ),
    ),
    change: described("The largest difference from the first run; null if there is none", orNull(number)),
  }),
);
export type ComparedRow = ValueOf<typeof ComparedRow>;

const RunComparisonDetail = named(
  "RunComparisonDetail",
  object({
    runs: list(ComparedRun),
    scorings: described("Names of scorings that each of the runs has", list(text)),
    rows: described("Those with the largest difference first", list(ComparedRow)),
    next: described("Value for `after`; null on the last page", orNull(text)),
    total: integer,
    changed: described("Rows in which a run differs from the first", integer),
    isPartial: described("True if a run has more rollouts than are compared", boolean),
  }),
);
export type RunComparisonDetail = ValueOf<typeof RunComparisonDetail>;

export const runComparisonOperations = {
  "GET /api/run-comparison": {
    scope: "runs",
    summary: "two to eight runs row by row, with the rows that changed first",
    query: {
      ...filteredPage({
        runs: described("Run ids, percent-encoded and comma-separated; the others are compared with the first", text),
        scoring: described("The scoring whose scores to use (default: the rewards)", text),
        query: described("Substring of the row id", text),
      }),
      required: ["runs"] as const,
    },
    response: RunComparisonDetail,
  },
} as const satisfies Operations;
