import type { ValueOf } from "@biplane/core/internal";
import {
  boolean,
  described,
  enumOf,
  list,
  map,
  named,
  number,
  object,
  orNull,
  text,
  time,
} from "../../schema/builders.ts";
import type { Operations } from "../http/operation.ts";

const ProcessSummary = named(
  "ProcessSummary",
  object({
    id: text,
    kind: enumOf("server", "worker"),
    name: described("Of its machine", text),
    version: text,
    address: orNull(
      described("Where the other processes reach it; null without connections:read or settings:read", text),
    ),
    startedAt: time,
    seenAt: time,
    isThis: described("True for the process that answers", boolean),
    load: described("What it has open, how much its event loop lags and how much memory it takes", map(number)),
  }),
);
export type ProcessSummary = ValueOf<typeof ProcessSummary>;

export const fleetOperations = {
  "GET /api/fleet": {
    scope: "person",
    summary: "the servers and workers on the same database, oldest first; empty with a store of one process",
    response: object({ processes: list(ProcessSummary) }),
  },
} as const satisfies Operations;
